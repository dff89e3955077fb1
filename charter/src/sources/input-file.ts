import { Problem, reasonOf } from "../prompt/problem.ts";

const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");

/**
 * Node's own modules without the ESM wrapper: the wrapper reads every export, which loads `fs/promises` and half of `util` and
 * costs 6 ms of the 32 a bare Node needs to start.
 */

export { existsSync };

/**
 * Reads a file's text, or standard input for `-`. Missing, unreadable and not UTF-8 are three different Problems. `digest` is the
 * SHA-256 it had when it was trusted; a file with another one is refused.
 */
export function readText(path: string, what: string, digest?: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path === "-" ? 0 : path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const name = path === "-" ? "standard input" : path;
    if (code === "ENOENT") throw new Problem("no-such-file", `There is no ${what} at ${name}.`, "Check the path.");
    throw new Problem(
      "unreadable",
      `The ${what} at ${name} could not be read: ${code}.`,
      "Check that it is a file you may read.",
    );
  }
  if (digest !== undefined && process.getBuiltinModule("node:crypto").hash("sha256", bytes, "hex") !== digest)
    throw new Problem(
      "config-untrusted",
      `The ${what} at ${path} changed while it was read, and is not used.`,
      "Look at it again.",
    );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(
      "bad-encoding",
      `The ${what} at ${path === "-" ? "standard input" : path} is not UTF-8.`,
      "Save it as UTF-8; Charter never guesses an encoding.",
    );
  }
}

export function readJson(path: string, what: string, digest?: string): unknown {
  const text = readText(path, what, digest);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = reasonOf(error);
    throw new Problem(
      "bad-json",
      `The ${what} at ${path === "-" ? "standard input" : path} is no JSON: ${reason}.`,
      "Fix it there.",
    );
  }
}
