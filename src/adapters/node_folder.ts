/** Makes a folder with those above it. */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Rejects as the system does for the first folder that can't be made. Not `mkdir` with `recursive`: in a folder that is
 * there and takes none, as below /proc, Node's tries without end.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || (await isFolder(above))) throw error;
    await makeFolder(above);
    await makeFolder(path);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
