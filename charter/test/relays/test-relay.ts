import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";

/** A relay of a test's own, on loopback. */
export type TestRelay = {
  readonly url: string;
  /** All it keeps. */
  readonly held: () => Promise<readonly NostrEvent[]>;
  /** How often it was asked, over whatever connection. */
  readonly asked: () => number;
  /** Puts events into it, by no door and unchecked where it can be helped. */
  readonly put: (...events: readonly NostrEvent[]) => Promise<void>;
  /** Ends it, and every connection to it. */
  readonly stop: () => Promise<void>;
};

/** An address on which nothing listens: a server had it, and gave it up. */
export async function deadAddress(scheme = "ws"): Promise<string> {
  const { createServer } = await import("node:net");
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return `${scheme}://127.0.0.1:${port}`;
}
