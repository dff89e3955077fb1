import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { complaint, speak } from "../../src/testing/strict/speech.ts";

/** How a provider does: it answers, says that something is wrong, or leaves everyone waiting until it is let go. */
export type Mode = "answers" | "waits" | { readonly status: number };

/** A provider on the loopback, as a model's name and an address; it can be away, in trouble, and back. */
export type Provider = {
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mode: (mode: Mode) => void;
  /** Resolves when so many are waiting to be answered. */
  readonly waiting: (count: number) => Promise<void>;
  /** Everyone who waits is answered. */
  readonly letGo: () => void;
  readonly down: () => Promise<void>;
  readonly up: () => Promise<void>;
  readonly asked: () => number;
};

const kind = "openai-compatible";

export async function startProvider(): Promise<Provider> {
  let mode: Mode = "answers";
  let asked = 0;
  const open = new Map<ServerResponse, string>();
  const lookers = new Set<() => void>();
  const answer = (response: ServerResponse, said: string) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(speak(kind, { text: [`Re: ${said}`] }).join(""));
  };
  const server = createServer(async (request, response) => {
    // It is asked how long its window is, and does not tell.
    if (request.method !== "POST") return response.writeHead(404).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked += 1;
    const { messages } = JSON.parse(Buffer.concat(chunks).toString());
    const said = saidIn(messages);
    if (mode === "answers") return answer(response, said);
    if (typeof mode === "object")
      return response.writeHead(mode.status, { "content-type": "application/json" }).end(complaint(kind, "Not now."));
    open.set(response, said);
    response.on("close", () => open.delete(response));
    for (const look of lookers) look();
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    model: `${kind}/qwen3`,
    env: { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}`, OPENAI_COMPATIBLE_API_KEY: "a-test's-key" },
    asked: () => asked,
    mode: (next) => {
      mode = next;
    },
    waiting: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (open.size < count) return;
          lookers.delete(look);
          resolve();
        };
        lookers.add(look);
        look();
      }),
    letGo: () => {
      for (const [response, said] of open) answer(response, said);
    },
    down: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    up: () => listen(port),
  };
}

type Said = { readonly role: string; readonly content: string | readonly { readonly text?: string }[] };

/** What the user said last; the state, which such a server is told in the user's role, is marked as none of theirs. */
function saidIn(messages: readonly Said[]): string {
  const theirs = messages.flatMap(({ role, content }) => (role === "user" ? [textOf(content)] : []));
  return theirs.findLast((words) => !/^\[system \w+\]/.test(words)) ?? "";
}

function textOf(content: string | readonly { readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}
