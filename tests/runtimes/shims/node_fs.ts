/** The vectors in `tests/vectors/`, for runtimes without files: the bundler puts them in. */
declare const VECTOR_FILES: Readonly<Record<string, string>>;

export function readFileSync(path: string | URL): string {
  const name = String(path).split("/").at(-1)!;
  const text = VECTOR_FILES[name];
  if (text === undefined)
    throw new Error(`no vector file ${name} in this bundle: a suite that reads others is not portable`);
  return text;
}

export function readdirSync(): string[] {
  return Object.keys(VECTOR_FILES);
}
