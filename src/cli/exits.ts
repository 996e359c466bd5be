/** How a process ended, in words. */
export interface ExitLike {
  readonly code: number | null;
  readonly signal: string | null;
}

export function exitText({ code, signal }: ExitLike): string {
  if (signal !== null) return `ended by ${signal}`;
  return code === null ? "ended" : `exited with code ${code}`;
}
