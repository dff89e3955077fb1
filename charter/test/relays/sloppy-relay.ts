import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { WebSocket } from "ws";
import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import type { TestRelay } from "./test-relay.ts";

/**
 * `nostrmini`, in a thread of its own: it checks no signature, replaces nothing, and takes the first filter's limit for
 * all. Whatever it was ever sent, it gives.
 */
export async function startSloppyRelay(): Promise<TestRelay> {
  const thread = new Worker(new URL("./sloppy-relay-thread.cjs", import.meta.url), { stdout: true, execArgv: [] });
  let asked = 0;
  const url = await new Promise<string>((resolve, reject) => {
    thread.on("message", (message: { readonly port?: number }) => {
      if (message.port === undefined) asked++;
      else resolve(`ws://127.0.0.1:${message.port}`);
    });
    thread.once("exit", (code) => reject(new Error(`nostrmini ended with ${code}`)));
  });
  return {
    url,
    asked: () => asked,
    held: () => allOf(url),
    put: (...events) => putInto(url, events),
    stop: async () => {
      await thread.terminate();
    },
  };
}

async function allOf(url: string): Promise<NostrEvent[]> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const events: NostrEvent[] = [];
  const whole = new Promise<void>((end) => {
    socket.on("message", (data) => {
      const [type, , event] = JSON.parse(String(data));
      if (type === "EVENT") events.push(event);
      if (type === "EOSE") end();
    });
  });
  socket.send(JSON.stringify(["REQ", "all", {}]));
  await whole;
  socket.terminate();
  return events;
}

async function putInto(url: string, events: readonly NostrEvent[]): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  for (const event of events) {
    const taken = once(socket, "message");
    socket.send(JSON.stringify(["EVENT", event]));
    await taken;
  }
  socket.terminate();
}
