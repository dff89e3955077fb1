import { Problem } from "../../prompt/problem.ts";
import { chainKeyVariable, takeFromEnvironment } from "../../sources/core-memory/key-source.ts";
import { readKeyFile } from "../../sources/core-memory/keys/key-file.ts";

/** Where an agent's key is, whose address it has to have, and what tells the address of a key. */
type ChainKeyOptions = {
  readonly agent: string;
  readonly address: string;
  readonly keyFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly addressOf: (key: `0x${string}`) => string;
};

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
  if (keyFile !== undefined)
    return readKeyFile({
      ...{ called: `chain key of “${agent}”`, path: keyFile },
      hint: "Put the key there, with mode 0600, or leave keyFile out and set CHARTER_CHAIN_KEY.",
    });
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

function badKey(message: string, hint: string): Problem {
  return new Problem("bad-key", message, hint);
}
