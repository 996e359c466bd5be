/** Where the pictures and files of an answer are put. Never over something that is there. */
import { constants } from "node:fs";
import { copyFile, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { makeFolder } from "../adapters/node_folder.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { excerpt } from "../rpc/excerpt.ts";
import { messageOf } from "../rpc/thrown.ts";
import { UsageError } from "./errors.ts";

const MOST_NAMES = 1_000;
const ENDINGS: Readonly<Record<string, string>> = { "image/jpeg": ".jpg", "image/svg+xml": ".svg", "text/csv": ".csv" };

export class Saver {
  readonly #tool: string;
  #folder: Promise<string> | undefined;

  /** `folder` is there. Without one a temporary one is made for the first file. */
  constructor(folder: string | undefined, tool: string) {
    if (folder !== undefined) this.#folder = Promise.resolve(folder);
    this.#tool = safeName(tool);
  }

  /** Writes a new file named after the tool and returns its absolute path. */
  async write(bytes: Uint8Array, mimeType: string): Promise<string> {
    try {
      return await this.#place(`${this.#tool}${endingOf(mimeType)}`, (path) => writeFile(path, bytes, { flag: "wx" }));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        `the result of ${this.#tool} cannot be saved: ${messageOf(error)}; name another folder with --save`,
      );
    }
  }

  /** Copies a file that the extension named. */
  async copy(from: string): Promise<string> {
    try {
      return await this.#place(safeName(basename(from)), (path) => copyFile(from, path, constants.COPYFILE_EXCL));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const why = `${this.#tool} named the file ${excerpt(from, 300)}, which cannot be copied: ${messageOf(error)}`;
      throw new ExtensionError("protocol", why, { cause: error });
    }
  }

  async #place(name: string, put: (path: string) => Promise<void>): Promise<string> {
    this.#folder ??= temporaryFolder("extwire-");
    const folder = await this.#folder;
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
}

/** The folder that --save names, made where it is missing, as an absolute path. Throws a UsageError where it can't be made. */
export async function saveFolder(given: string): Promise<string> {
  if (given === "") throw new UsageError("--save is empty; perhaps a variable is not set");
  const folder = resolve(given);
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new UsageError(`the folder of --save ${given} cannot be created: ${messageOf(error)}; name another one`);
  }
  return folder;
}

/** A new folder where temporary files go. Throws a UsageError that says what to do where there can be none. */
export async function temporaryFolder(prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (error) {
    throw new UsageError(
      `no folder for temporary files: ${messageOf(error)}; name a folder with --save, or set TMPDIR to a writable one`,
    );
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
