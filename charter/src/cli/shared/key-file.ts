import { Problem } from "../../prompt/problem.ts";
import { loadNostr } from "../../sources/core-memory/nostr.ts";

const { closeSync, openSync, rmSync, writeSync } = process.getBuiltinModule("node:fs");

/** A key pair that was just made: the secret key is in its file, and nowhere else. */
export type NewKey = {
  readonly npub: string;
  /** The same as hex. */
  readonly publicKey: string;
  readonly file: string;
  readonly remove: () => void;
};

/** Makes a key pair. Only its owner can read the file, and one that is there already is never written over. */
export async function makeKeyFile(file: string): Promise<NewKey> {
  const nostr = await loadNostr();
  const secret = nostr.newSecret();
  const handle = openNew(file);
  try {
    writeSync(handle, `${nostr.nsec(secret)}\n`);
  } finally {
    closeSync(handle);
  }
  const publicKey = nostr.publicKey(secret);
  return { npub: nostr.npub(publicKey), publicKey, file, remove: () => rmSync(file) };
}

function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new Problem(
        "file-exists",
        `There is a file at ${file} already: a key is never written over.`,
        "To use the key in it, leave --new-key out; or name another file.",
      );
    throw new Problem(
      "unwritable",
      `The key could not be written to ${file}: ${code}.`,
      "Name a file in a directory you may write to.",
    );
  }
}
