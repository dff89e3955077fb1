import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client, IncomingMessage } from "@nostr-relay/common";
import { NostrRelay } from "@nostr-relay/core";
import { Validator } from "@nostr-relay/validator";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { EventShelf } from "./event-shelf.ts";
import type { TestRelay } from "./test-relay.ts";

type StrictRelayOptions = {
  /** Offered: everybody gets a challenge, and may do without. Required: nothing is given or taken without a login. */
  readonly login?: "offered" | "required";
  readonly port?: number;
  /** What it keeps; another relay's, where one is started again. */
  readonly shelf?: EventShelf;
};

/** A relay that keeps to the rules: `@nostr-relay/core` and its validator, over `ws`, with nothing cached. */
export async function startStrictRelay(
  options: StrictRelayOptions = {},
): Promise<TestRelay & { readonly shelf: EventShelf; readonly refused: () => number }> {
  const shelf = options.shelf ?? new EventShelf();
  const relay = new NostrRelay(shelf, {
    filterResultCacheTtl: 0,
    eventHandlingResultCacheTtl: 0,
    logger: { setLogLevel: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...(options.login && { hostname: "127.0.0.1" }),
  });
  const validator = new Validator();
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  let refused = 0;

  const turnAway = (socket: WebSocket, [type, given]: IncomingMessage): boolean => {
    if (options.login !== "required" || relay.isAuthorized(clientOf(socket))) return false;
    const reason = "auth-required: log in first";
    if (type === "REQ") socket.send(JSON.stringify(["CLOSED", given, reason]));
    else if (type === "EVENT") socket.send(JSON.stringify(["OK", (given as { id: string }).id, false, reason]));
    else return false;
    refused++;
    return true;
  };
  const handle = async (socket: WebSocket, data: RawData): Promise<void> => {
    try {
      const message = await validator.validateIncomingMessage(data as Buffer);
      if (turnAway(socket, message)) return;
      if (message[0] === "REQ") shelf.asked++;
      await relay.handleMessage(clientOf(socket), message);
    } catch (error) {
      socket.send(JSON.stringify(["NOTICE", (error as Error).message]));
    }
  };
  sockets.on("connection", (socket) => {
    relay.handleConnection(clientOf(socket));
    // The validator takes its time; messages stay in their order all the same.
    let done = Promise.resolve();
    socket.on("message", (data) => {
      done = done.then(() => handle(socket, data));
    });
    socket.on("close", () => relay.handleDisconnect(clientOf(socket)));
    socket.on("error", () => {});
  });
  await new Promise<void>((listening) => server.listen(options.port ?? 0, "127.0.0.1", listening));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shelf,
    held: async () => [...shelf.events.values()],
    asked: () => shelf.asked,
    refused: () => refused,
    put: async (...events) => {
      for (const event of events) shelf.upsert(event);
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** What the library calls a client is a socket, by another type. */
const clientOf = (socket: WebSocket) => socket as unknown as Client;
