import { parentPort, Worker, workerData } from "node:worker_threads";
import type { NostrEvent } from "../../src/sources/core-memory/nostr-event.ts";
import { startStrictRelay } from "./strict-relay.ts";
import type { TestRelay } from "./test-relay.ts";

/** What the thread is told, and what it answers. */
type Told = { readonly put: readonly NostrEvent[] } | { readonly held: true } | { readonly stop: true };

type ThreadRelay = Omit<TestRelay, "asked">;

/** A strict relay in a thread of its own: it answers while a test stands still and waits for a command. */
export async function startRelayThread(options: { readonly login?: "required" } = {}): Promise<ThreadRelay> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { relay: options } });
  const answer = () => new Promise<unknown>((resolve) => worker.once("message", resolve));
  const tell = async (told: Told) => {
    const answered = answer();
    worker.postMessage(told);
    return answered;
  };
  let stopped: Promise<number> | undefined;
  const url = (await answer()) as string;
  return {
    url,
    put: async (...put) => void (await tell({ put })),
    held: async () => (await tell({ held: true })) as readonly NostrEvent[],
    stop: () => {
      stopped ??= tell({ stop: true }).then(() => worker.terminate());
      return stopped.then(() => {});
    },
  };
}

/** Only in the thread that was started for it: tests run in threads, too. */
if (parentPort && Object(workerData).relay) {
  const port = parentPort;
  const relay = await startStrictRelay(workerData.relay);
  port.on("message", async (told: Told) => {
    if ("put" in told) port.postMessage(await relay.put(...told.put));
    else if ("held" in told) port.postMessage(await relay.held());
    else port.postMessage(await relay.stop());
  });
  port.postMessage(relay.url);
}
