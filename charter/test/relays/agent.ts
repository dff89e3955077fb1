import { createMemoryKey, loadNostr, type MemoryKey } from "../../src/sources/core-memory/memory-key.ts";
import type { RelayClient } from "../../src/sources/core-memory/relay.ts";
import { createRelayClient } from "../../src/sources/core-memory/relay-client.ts";

/** An agent with a new key pair and a new owner, and the client it speaks to relays with. */
export async function newAgent(): Promise<{
  readonly key: MemoryKey;
  readonly client: RelayClient;
  /** Both as they stand in files and settings. */
  readonly nsec: string;
  readonly owner: string;
}> {
  const nostr = await loadNostr();
  const secret = nostr.newSecret();
  const owner = nostr.publicKey(nostr.newSecret());
  const key = createMemoryKey(nostr, secret, owner);
  const client = createRelayClient({ sign: key.sign, clock: () => new Date() });
  return { key, client, nsec: nostr.nsec(secret), owner };
}
