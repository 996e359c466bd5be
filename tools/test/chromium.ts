/** Debian's Chromium without a window, as the tests start it. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Longer than the half minute that is the default: a busy machine may need it. For pages, too. */
export const PATIENCE_MS = 120_000;

export async function startChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`no Chromium at ${CHROMIUM}: install Debian's package chromium, or name another in CHROMIUM`);
  }
  return await chromium.launch({
    timeout: PATIENCE_MS,
    executablePath: CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
