import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ownConnection } from "../../../chain/local-chain.ts";

/**
 * What becomes of a request: it is refused with 429 or 503, answered with something that is no answer or with nothing, cut
 * off; or it is `lost`: the node does what it was asked to, and nobody hears of it.
 */
export type RpcFault = "busy" | "failing" | "garbage" | "null" | "late" | "cut" | "lost";

export const rpcFaults: readonly RpcFault[] = ["busy", "failing", "garbage", "null", "late", "cut", "lost"];

/** An address that passes on to a node what is not kept from it. */
export type RpcProxy = {
  readonly url: string;
  /** Which fault a request meets, by the methods it calls; nothing: none. */
  readonly meet: (fault: ((methods: readonly string[]) => RpcFault | undefined) | undefined) => void;
  /** The node behind it from now on. */
  readonly pointTo: (target: string) => void;
  /** How often each fault was met. */
  readonly met: () => Readonly<Partial<Record<RpcFault, number>>>;
  readonly close: () => Promise<void>;
};

/** What is told of an answer instead, by the methods that were called. */
type Rewrite = (methods: readonly string[], answer: string) => string;

export async function startRpcProxy(target: string, rewrite: Rewrite = (_, answer) => answer): Promise<RpcProxy> {
  let node = target;
  let faultOf: (methods: readonly string[]) => RpcFault | undefined = () => undefined;
  const met: Partial<Record<RpcFault, number>> = {};
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => "");
    const methods = methodsOf(body);
    const fault = faultOf(methods);
    if (fault) met[fault] = (met[fault] ?? 0) + 1;
    const pass = () => fetch(node, { method: "POST", headers: ownConnection, body }).then((answer) => answer.text());
    try {
      if (fault === undefined) answer(response, 200, rewrite(methods, await pass()));
      else if (fault === "lost") {
        await pass();
        response.destroy();
      } else misbehave(response, fault);
    } catch {
      // The node is not there.
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meet: (fault) => {
      faultOf = fault ?? (() => undefined);
    },
    pointTo: (url) => {
      node = url;
    },
    met: () => met,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function misbehave(response: ServerResponse, fault: Exclude<RpcFault, "lost">): void {
  if (fault === "busy") answer(response, 429, "Too many requests");
  else if (fault === "failing") answer(response, 503, "<html>Service unavailable</html>");
  else if (fault === "garbage") answer(response, 200, '{"jsonrpc":"2.0","id":1,"resu');
  else if (fault === "null") answer(response, 200, '{"jsonrpc":"2.0","id":1,"result":{"no":"answer"}}');
  else if (fault === "cut") response.destroy();
  // “late”: whoever asked goes away first.
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function methodsOf(body: string): string[] {
  try {
    return [JSON.parse(body) as { method?: unknown }].flat().map(({ method }) => String(method));
  } catch {
    return [];
  }
}
