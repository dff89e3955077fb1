import type { FileHandle } from "node:fs/promises";
import { Problem } from "../../../prompt/problem.ts";

const { open, constants } = process.getBuiltinModule("node:fs/promises");
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** No key is longer. */
const longest = 1024;
const others = 0o077;

/** A key that is in a file: what it is called in a Problem, and what to do where it is not there. */
type KeyFile = { readonly called: string; readonly path: string; readonly hint: string };

/** What a key's file says. It has to be a file of this user's, and nobody else's to read. */
export async function readKeyFile(key: KeyFile): Promise<string> {
  // Without waiting, so that a pipe is seen for what it is.
  const file = await open(key.path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw missing(key, codeOf(error) === "ENOENT" ? "is not there" : `cannot be read (${codeOf(error)})`);
  });
  try {
    await checkFile(key, file);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(longest), 0, longest, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function checkFile(key: KeyFile, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  if (!stat.isFile()) throw missing(key, "is no file");
  const { mode, uid } = stat;
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user) throw exposed(`${fileOf(key)} is another user's.`, "Make a copy of your own, of mode 0600.");
  if ((mode & others) !== 0)
    throw exposed(
      `${fileOf(key)} has mode ${(mode & 0o777).toString(8).padStart(4, "0")}: others may use it.`,
      `Run chmod 600 ${key.path}; where others may have read it, make a new key.`,
    );
}

function fileOf({ called, path }: KeyFile): string {
  return `The file of the ${called}, ${path},`;
}

function missing(key: KeyFile, fault: string): Problem {
  return new Problem("key-missing", `${fileOf(key)} ${fault}.`, key.hint);
}

function exposed(message: string, hint: string): Problem {
  return new Problem("key-exposed", message, hint);
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code);
}
