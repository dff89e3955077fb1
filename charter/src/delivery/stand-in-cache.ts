import { createHash } from "node:crypto";

/** So many blocks are remembered, the latest used. */
const max = 20_000;

/**
 * What a provider with a prefix cache would have of a text: blocks of one size, each known by itself and all before it.
 * Reading keeps a block; one that nobody read for long enough is gone.
 */
type PrefixCache = {
  /** How many characters of the text were there; from now on all of it is. */
  readonly read: (text: string, at: number) => number;
};

export function createPrefixCache({ blockChars, ttlMs }: { blockChars: number; ttlMs: number }): PrefixCache {
  const used = new Map<string, number>();
  return {
    read: (text, at) => {
      const chain = createHash("sha256");
      let found = 0;
      let unbroken = true;
      for (let end = blockChars; end <= text.length; end += blockChars) {
        chain.update(text.slice(end - blockChars, end));
        const key = chain.copy().digest("base64");
        const last = used.get(key);
        unbroken &&= last !== undefined && at - last <= ttlMs;
        if (unbroken) found = end;
        used.delete(key);
        used.set(key, at);
      }
      for (const key of used.keys()) {
        if (used.size <= max) break;
        used.delete(key);
      }
      return found;
    },
  };
}
