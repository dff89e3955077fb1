import type { MemoryKey } from "../../../src/sources/core-memory/memory-key.ts";

/** The key, and what was asked of it. */
export function watched(key: MemoryKey): { key: MemoryKey; calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    key: {
      ...key,
      verify: (event) => calls.push("verify") > 0 && key.verify(event),
      open: (event) => (calls.push("open") > 0 ? key.open(event) : undefined),
    },
  };
}
