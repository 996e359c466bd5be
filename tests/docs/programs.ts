/** The TypeScript examples as programs: checked by the compiler all at once, bundled, and run one by one. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM_FLAGS, REQUIRE_BANNER, ROOT } from "../../tools/bundle.ts";
import type { Block } from "./blocks.ts";

const FOLDER = "tests/.build/docs/programs";
/** From one of its folders to the root. */
const UP = "../../../../..";

/** What an importer of the package writes, and where that is here. */
export const ENTRIES: Readonly<Record<string, string>> = {
  extwire: "mod.ts",
  "extwire/node": "src/adapters/node.ts",
  "extwire/manifest": "src/host/manifest_file.ts",
  "extwire/workerd": "src/adapters/workerd.ts",
};

const PROMISE = /^(\s*)(console\.log\(.*\));\s*\/\/ (.+)$/;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Writes every block as a module. */
export class Programs {
  readonly #names = new Map<Block, string>();
  readonly #folder: string;

  /** `name` tells its folder from those of others, which may run at the same time. */
  constructor(name: string, blocks: readonly Block[]) {
    this.#folder = `${FOLDER}/${name}`;
    rmSync(join(ROOT, this.#folder), { recursive: true, force: true });
    mkdirSync(join(ROOT, this.#folder), { recursive: true });
    for (const block of blocks) {
      const name = `${block.path.replace(/\W+/g, "_")}_${block.line}`;
      this.#names.set(block, name);
      // One module each: a file without an import would share its names with the others.
      writeFileSync(join(ROOT, this.#folder, `${name}.ts`), `${promising(block)}\nexport {};\n`);
    }
    writeFileSync(join(ROOT, this.#folder, "tsconfig.json"), JSON.stringify(compilerConfig(), null, 2));
  }

  /** What the compiler says, by the place of the block; one run for all of them. */
  typeFaults(): string[] {
    try {
      execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", this.#folder], {
        cwd: ROOT,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      return [];
    } catch (error) {
      const places = new Map([...this.#names].map(([block, name]) => [`${this.#folder}/${name}.ts`, block]));
      return String((error as { stdout: string }).stdout)
        .trimEnd()
        .split("\n")
        .map((line) =>
          line.replace(/^(tests\/\.build\/\S+?)\((\d+),\d+\)/, (whole, file: string, row: string) => {
            const block = places.get(file);
            return block ? `${block.path}:${block.line + Number(row) - 1}` : whole;
          }),
        );
    }
  }

  /** Bundles it, so that one faulty example costs only itself, and runs it. */
  async run(block: Block, cwd: string): Promise<Ended> {
    const name = this.#names.get(block);
    const program = join(ROOT, this.#folder, `${name}.mjs`);
    const flags = [
      ...PROGRAM_FLAGS,
      `--banner:js=${REQUIRE_BANNER}`,
      "--inject:tests/docs/expectations.ts",
      // The package promises that its modules do nothing when loaded; this one is loaded for what it does.
      "--ignore-annotations",
      ...Object.entries(ENTRIES).map(([entry, file]) => `--alias:${entry}=./${file}`),
      `--outfile=${program}`,
    ];
    const bundled = await execute(
      join(ROOT, "node_modules/esbuild/bin/esbuild"),
      [`${this.#folder}/${name}.ts`, ...flags],
      {
        cwd: ROOT,
      },
    );
    if (bundled.code !== 0) return bundled;
    return execute(process.execPath, ["--unhandled-rejections=strict", program], { cwd });
  }
}

/** Runs a command to its end with both outputs in the order they came. */
export async function execute(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string | undefined> },
): Promise<Ended> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, output };
}

function promising(block: Block): string {
  return block.text
    .split("\n")
    .map((line, i) =>
      line.replace(PROMISE, (_all, indent: string, call: string, expected: string) => {
        const at = `${block.path}:${block.line + i}`;
        return `${indent}${call}; __expectPrinted(${JSON.stringify(expected)}, ${JSON.stringify(at)});`;
      }),
    )
    .join("\n");
}

function compilerConfig(): object {
  return {
    extends: `${UP}/tsconfig.json`,
    compilerOptions: {
      noUnusedLocals: false,
      paths: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, [`${UP}/${file}`]])),
    },
    include: ["*.ts", `${UP}/tests/docs/expectations.ts`, `${UP}/src/adapters/*.d.ts`, `${UP}/codec/*.d.ts`],
  };
}
