/**
 * Builds codec/codec.wasm and codec/wasm_bytes.ts from codec/assembly/.
 * With --check it writes nothing and fails where what is committed is not what the source builds to.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { main } from "assemblyscript/asc";
import { isProgram } from "./bundle.ts";

const root = new URL("../", import.meta.url);
const MOST_BYTES = 8 * 1024;

interface BuiltWasm {
  readonly wasm: Uint8Array;
  /** The text of codec/wasm_bytes.ts. */
  readonly inlined: string;
}

/** Compiles the module. The memory is one page and stays one; nothing is imported. */
async function buildWasm(): Promise<BuiltWasm> {
  let wasm: Uint8Array | undefined;
  const messages: string[] = [];
  const { error } = await main(
    [
      "codec/assembly/index.ts",
      "--baseDir",
      fileURLToPath(root),
      "--outFile",
      "codec.wasm",
      "--runtime",
      "stub",
      "--enable",
      "simd",
      "--initialMemory",
      "1",
      "--maximumMemory",
      "1",
      "-O3",
      "--noAssert",
    ],
    {
      stderr: { write: (text: string | Uint8Array) => messages.push(String(text)) },
      writeFile(name: string, contents: string | Uint8Array) {
        if (name.endsWith(".wasm") && typeof contents !== "string") wasm = contents;
      },
    },
  );
  if (error || !wasm) throw new Error(`codec/assembly does not compile: ${messages.join("")}`, { cause: error });
  if (wasm.length > MOST_BYTES)
    throw new Error(`codec.wasm has ${wasm.length} bytes, more than the ${MOST_BYTES} it may have`);
  return { wasm, inlined: inline(wasm) };
}

function inline(wasm: Uint8Array): string {
  const lines =
    Buffer.from(wasm)
      .toString("base64")
      .match(/.{1,120}/g) ?? [];
  return [
    "// Generated from codec/assembly/ by tools/build_wasm.ts: do not edit.",
    "",
    "/** The bytes of codec.wasm, for where no file can be read next to the code. */",
    "export const WASM_BASE64: string =",
    `${lines.map((line) => `  "${line}"`).join(" +\n")};`,
    "",
  ].join("\n");
}

/** Which of the two committed files differ from what the source builds to. */
export async function outdatedFiles(): Promise<string[]> {
  const { wasm, inlined } = await buildWasm();
  const outdated: string[] = [];
  if (!Buffer.from(wasm).equals(await readFile(new URL("codec/codec.wasm", root)))) outdated.push("codec/codec.wasm");
  if (inlined !== (await readFile(new URL("codec/wasm_bytes.ts", root), "utf8"))) outdated.push("codec/wasm_bytes.ts");
  return outdated;
}

if (isProgram(import.meta.url)) {
  if (process.argv.includes("--check")) {
    const outdated = await outdatedFiles();
    for (const file of outdated)
      console.error(`${file} is not what codec/assembly/ builds to: run npm run build:wasm and commit it`);
    process.exitCode = outdated.length > 0 ? 1 : 0;
  } else {
    const { wasm, inlined } = await buildWasm();
    await writeFile(new URL("codec/codec.wasm", root), wasm);
    await writeFile(new URL("codec/wasm_bytes.ts", root), inlined);
    console.log(`codec/codec.wasm: ${wasm.length} bytes`);
  }
}
