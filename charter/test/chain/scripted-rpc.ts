import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptedChain } from "./scripted-chain.ts";

export type RpcCall = { readonly method: string; readonly params: readonly unknown[]; readonly id: number };

/** What an address does instead of answering; nothing, where it answers. */
export type Misbehaviour = (call: RpcCall, response: ServerResponse) => boolean | undefined;

/** An address of a scripted chain, on loopback. */
export type ScriptedRpc = {
  readonly url: string;
  readonly host: string;
  readonly calls: RpcCall[];
  /** How the address behaves from now on. */
  readonly behave: (how: Misbehaviour | undefined) => void;
  /** Sees this chain, up to so many blocks before its head. */
  readonly see: (chain: ScriptedChain, lag?: number) => void;
  readonly close: () => Promise<void>;
};

export async function createScriptedRpc(chain: ScriptedChain): Promise<ScriptedRpc> {
  const calls: RpcCall[] = [];
  let how: Misbehaviour | undefined;
  let seen = { chain, lag: 0 };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const call = JSON.parse(text) as RpcCall;
      calls.push(call);
      if (how?.(call, response)) return;
      try {
        const result = seen.chain.answer(call.method, call.params, seen.chain.head() - seen.lag);
        say(response, { jsonrpc: "2.0", id: call.id, result });
      } catch (error) {
        refuse(call, response, -32_000, (error as Error).message);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v2/secret-key`,
    host: `127.0.0.1:${port}`,
    calls,
    behave: (given) => {
      how = given;
    },
    see: (given, lag = 0) => {
      seen = { chain: given, lag };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function say(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): true {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}

export function refuse({ id }: RpcCall, response: ServerResponse, code: number, message: string): true {
  return say(response, { jsonrpc: "2.0", id, error: { code, message } });
}
