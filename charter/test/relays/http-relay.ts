import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { unpackEventFromToken, validateEvent } from "nostr-tools/nip98";
import { verifyEvent } from "nostr-tools/pure";
import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { EventShelf } from "./event-shelf.ts";
import type { TestRelay } from "./test-relay.ts";

type HttpRelayOptions = {
  /** Who may come; anybody who signs what they ask, where nothing is said. */
  readonly allowed?: readonly string[];
  /** What it answers in place of what it has. */
  readonly instead?: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> };
};

/** A relay that is asked over HTTP, and lets in whoever signs the request (NIP-98, as nostr-tools checks it). */
export async function startHttpRelay({ allowed, instead }: HttpRelayOptions = {}): Promise<TestRelay> {
  const shelf = new EventShelf();
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown }> => {
    const body: unknown = JSON.parse(await textOf(request));
    const url = `http://${request.headers.host}${request.url}`;
    try {
      const token = await unpackEventFromToken(String(request.headers.authorization));
      await validateEvent(token, url, String(request.method), body as object);
      if (allowed && !allowed.includes(token.pubkey)) return { status: 403, body: { error: "not for you" } };
    } catch (error) {
      return { status: 401, body: { error: (error as Error).message } };
    }
    if (request.url === "/query") {
      shelf.asked++;
      return { status: 200, body: (body as object[]).flatMap((filter) => shelf.find(filter)) };
    }
    if (request.url !== "/events") return { status: 404, body: {} };
    const event = body as NostrEvent;
    if (!verifyEvent({ ...event, tags: event.tags.map((tag) => [...tag]) }))
      return { status: 400, body: { accepted: false, message: "invalid: its signature is wrong" } };
    shelf.upsert(event);
    return { status: 200, body: { event_id: event.id, accepted: true, message: "" } };
  };
  const server = createServer((request, response) => {
    if (instead) {
      shelf.asked++;
      response.writeHead(instead.status, instead.headers).end(instead.body);
    } else
      void answer(request).then(({ status, body }) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => shelf.asked,
    held: async () => [...shelf.events.values()],
    put: async (...events) => {
      for (const event of events) shelf.upsert(event);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
