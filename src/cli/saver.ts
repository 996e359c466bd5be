/** Where the pictures and files of an answer are put. Never over something that is there. */
import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { UsageError } from "./exit_codes.ts";

const MOST_NAMES = 1_000;
const ENDINGS: Readonly<Record<string, string>> = { "image/jpeg": ".jpg", "image/svg+xml": ".svg", "text/csv": ".csv" };

export class Saver {
  readonly #tool: string;
  #folder: string | undefined;
  #ready: Promise<string> | undefined;

  /** Without `folder` a temporary one is made for the first file. */
  constructor(folder: string | undefined, tool: string) {
    this.#folder = folder;
    this.#tool = safeName(tool);
  }

  /** Writes a new file named after the tool and returns its absolute path. */
  async write(bytes: Uint8Array, mimeType: string): Promise<string> {
    return this.#place(`${this.#tool}${endingOf(mimeType)}`, (path) => writeFile(path, bytes, { flag: "wx" }));
  }

  /** Copies a file that the extension named. */
  async copy(from: string): Promise<string> {
    try {
      return await this.#place(safeName(basename(from)), (path) => copyFile(from, path, constants.COPYFILE_EXCL));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new Error(`the tool named ${from}, which cannot be copied: ${(error as Error).message}`, { cause: error });
    }
  }

  async #place(name: string, put: (path: string) => Promise<void>): Promise<string> {
    this.#ready ??= this.#makeFolder();
    const folder = await this.#ready;
    const ending = extname(name);
    const stem = name.slice(0, name.length - ending.length);
    for (let i = 1; i < MOST_NAMES; i++) {
      const path = join(folder, i === 1 ? name : `${stem}-${i}${ending}`);
      try {
        await put(path);
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
    throw new UsageError(`${folder} holds ${MOST_NAMES} files called ${name} already; clear it or name another one`);
  }

  async #makeFolder(): Promise<string> {
    if (this.#folder === undefined) return mkdtemp(join(tmpdir(), "extwire-"));
    const folder = resolve(this.#folder);
    try {
      await mkdir(folder, { recursive: true });
    } catch (error) {
      throw new UsageError(`--save ${this.#folder} is no folder that can be made: ${(error as Error).message}`);
    }
    return folder;
  }
}

/** What an extension calls something must not lead out of the folder, nor hide in it. */
function safeName(name: string): string {
  const safe = name
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^\.+/, "")
    .slice(0, 100);
  return safe === "" ? "result" : safe;
}

function endingOf(mimeType: string): string {
  const plain = mimeType.split(";", 1)[0]!.trim().toLowerCase();
  return ENDINGS[plain] ?? (/^image\/[a-z0-9]+$/.test(plain) ? `.${plain.slice(6)}` : ".bin");
}
