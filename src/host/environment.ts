/** The environment of an extension: what is safe to pass on, what its manifest names, and nothing else (X-16, D18). */

type Variables = Readonly<Record<string, string | undefined>>;

/** What programs need to find others, their home, their language and a place for temporary files; none holds a secret. */
const SAFE: readonly string[] = [
  "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES TZ TERM TMPDIR TMP TEMP",
  // Windows programs do not start without these.
  "SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE USERNAME HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA",
  "ProgramData ProgramFiles NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE",
];

/** Python would write a pipe in the machine's old code page (A14), and keep what it prints until 8 KiB are full. */
const FOR_PYTHON = { PYTHONUTF8: "1", PYTHONUNBUFFERED: "1" };

export interface EnvironmentSource {
  /** The host's own variables, of which only the safe ones and those in `pass` are taken. */
  readonly host: Variables;
  /** Names of the host's variables that the manifest asks for. */
  readonly pass?: readonly string[] | undefined;
  /** The manifest's own; an undefined one takes a variable away. */
  readonly manifest?: Variables | undefined;
  /** The protocol's, which nobody overrides (M-20). */
  readonly protocol?: Readonly<Record<string, string>> | undefined;
}

/** Later sources win: safe variables, `pass`, `manifest`, `protocol`. */
export function environmentFor({
  host,
  pass = [],
  manifest = {},
  protocol = {},
}: EnvironmentSource): Record<string, string> {
  // Without a prototype: a variable may be called __proto__.
  const environment: Record<string, string> = Object.create(null);
  const hostNames = Object.keys(host);
  for (const wanted of [...SAFE.flatMap((names) => names.split(" ")), ...pass]) {
    const name = host[wanted] === undefined ? hostNames.find((each) => isWindowsPath(each, wanted)) : wanted;
    const value = name === undefined ? undefined : host[name];
    if (value !== undefined) environment[name as string] = value;
  }
  Object.assign(environment, FOR_PYTHON);
  for (const [name, value] of Object.entries(manifest)) {
    for (const other of Object.keys(environment)) if (isWindowsPath(other, name)) delete environment[other];
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  }
  return Object.assign(environment, protocol);
}

/** Windows calls it Path as often as PATH and means one variable; two of them in one block hide each other. */
function isWindowsPath(name: string, other: string): boolean {
  return name.toUpperCase() === "PATH" && other.toUpperCase() === "PATH";
}
