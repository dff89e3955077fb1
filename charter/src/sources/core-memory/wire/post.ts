import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connectionTrouble, lateTrouble, type WireTrouble } from "./connection-trouble.ts";

/** What came back, whatever its status. */
type PostAnswer = { readonly status: number; readonly text: string };

type PostOptions = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

/** Posts JSON over a connection of its own, which ends with it. Follows no redirect, and never throws. */
export function post({ url, headers, body, signal, maxBytes }: PostOptions): Promise<PostAnswer | WireTrouble> {
  return new Promise((resolve) => {
    let isConnected = false;
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method: "POST",
      agent: false,
      headers: { ...headers, "content-type": "application/json", accept: "application/json" },
    });
    const finish = (answer: PostAnswer | WireTrouble): void => {
      signal.removeEventListener("abort", expire);
      request.destroy();
      resolve(answer);
    };
    const expire = (): void => finish(lateTrouble);
    signal.addEventListener("abort", expire);
    request.on("socket", (socket) =>
      socket.once("connect", () => {
        isConnected = true;
      }),
    );
    request.on("error", (error) => finish(connectionTrouble(error, isConnected)));
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes)
          finish({ kind: "cut", reason: `It answered with more than ${maxBytes.toLocaleString("en")} bytes.` });
        else chunks.push(chunk);
      });
      response.on("error", (error) => finish(connectionTrouble(error, true)));
      response.on("aborted", () => finish({ kind: "closed", reason: "It closed the connection." }));
      response.on("end", () => finish({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    // Only now that its errors are heard: a request that is given up fails, and nobody else may hear of it.
    if (signal.aborted) expire();
    else request.end(body);
  });
}
