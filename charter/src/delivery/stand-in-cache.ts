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
  const used = new Map<string, { readonly id: number; readonly at: number }>();
  let ids = 0;
  return {
    read: (text, at) => {
      let before = 0;
      let found = 0;
      let unbroken = true;
      for (let end = blockChars; end <= text.length; end += blockChars) {
        const key = `${before} ${text.slice(end - blockChars, end)}`;
        const last = used.get(key);
        unbroken &&= last !== undefined && at - last.at <= ttlMs;
        if (unbroken) found = end;
        before = last?.id ?? ++ids;
        used.delete(key);
        used.set(key, { id: before, at });
      }
      for (const key of used.keys()) {
        if (used.size <= max) break;
        used.delete(key);
      }
      return found;
    },
  };
}
