import type { FileHandle } from "node:fs/promises";
import { Problem } from "../../prompt/problem.ts";
import { chainKeyVariable, takeFromEnvironment } from "../../sources/core-memory/key-source.ts";

const { open, constants } = process.getBuiltinModule("node:fs/promises");
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** Where an agent's key is, whose address it has to have, and what tells the address of a key. */
type ChainKeyOptions = {
  readonly agent: string;
  readonly address: string;
  readonly keyFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly addressOf: (key: `0x${string}`) => string;
};

/** A private key has 66 characters; whatever is longer is none. */
const longest = 1024;

/**
 * Reads the secret key that an agent's replies are signed with; nothing, where none is named. What was read is in no
 * Problem: it may be a key all the same.
 */
export async function readChainKey(options: ChainKeyOptions): Promise<`0x${string}` | undefined> {
  const { agent, address, addressOf } = options;
  const text = await readPlace(options);
  if (text === undefined) return undefined;
  const [, hex] = /^\s*(?:0x)?([0-9a-f]{64})\s*$/i.exec(text) ?? [];
  const key = `0x${hex?.toLowerCase()}` as const;
  const found = hex === undefined ? undefined : addressIn(addressOf, key);
  if (found === undefined)
    throw badKey(
      `What was read for the chain key of “${agent}” is no private key.`,
      "Give 64 hex digits, and nothing else.",
    );
  if (found.toLowerCase() !== address.toLowerCase())
    throw badKey(
      `The chain key of “${agent}” is that of ${found.toLowerCase()}, and not of ${address.toLowerCase()}, its address.`,
      "Give the key of automaton.chain.address, or that key's address.",
    );
  return key;
}

async function readPlace({ agent, keyFile, env }: ChainKeyOptions): Promise<string | undefined> {
  if (keyFile !== undefined) return readChainKeyFile(agent, keyFile);
  try {
    return takeFromEnvironment(`chain:${agent}`, chainKeyVariable, env);
  } catch (error) {
    if (error instanceof Problem && error.code === "key-missing") return undefined;
    throw error;
  }
}

function addressIn(addressOf: ChainKeyOptions["addressOf"], key: `0x${string}`): string | undefined {
  try {
    return addressOf(key);
  } catch {
    // Not every number is a key.
    return undefined;
  }
}

/** What the file of a key says: a file itself, this user's, and nobody else's to read. */
async function readChainKeyFile(agent: string, path: string): Promise<string> {
  // Without waiting, so that a pipe is seen for what it is; and no other file than the one that is named.
  const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((error: unknown) => {
    const code = String((error as { readonly code?: unknown }).code);
    if (code === "ELOOP" || code === "EMLINK")
      throw exposed(
        `The file of the chain key of “${agent}”, ${path}, is a link.`,
        "Name the file itself: what a link leads to can be changed by others.",
      );
    throw missing(agent, path, code === "ENOENT" ? "is not there" : `cannot be read (${code})`);
  });
  try {
    await checkFile(agent, path, file);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(longest), 0, longest, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function checkFile(agent: string, path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  if (!stat.isFile()) throw missing(agent, path, "is no file");
  const user = process.getuid?.();
  if (user === undefined) return;
  if (stat.uid !== user)
    throw exposed(
      `The file of the chain key of “${agent}”, ${path}, is another user's.`,
      "Make a copy of your own, of mode 0600.",
    );
  const mode = stat.mode & 0o7777;
  if (mode !== 0o600 && mode !== 0o400)
    throw exposed(
      `The file of the chain key of “${agent}”, ${path}, has mode ${mode.toString(8).padStart(4, "0")}.`,
      `Run chmod 600 ${path}. Where others may have read it, move what the address has, and make a new key.`,
    );
}

function missing(agent: string, path: string, fault: string): Problem {
  return new Problem(
    "key-missing",
    `The file of the chain key of “${agent}”, ${path}, ${fault}.`,
    "Put the key there, with mode 0600, or leave keyFile out and set CHARTER_CHAIN_KEY.",
  );
}

function exposed(message: string, hint: string): Problem {
  return new Problem("key-exposed", message, hint);
}

function badKey(message: string, hint: string): Problem {
  return new Problem("bad-key", message, hint);
}
