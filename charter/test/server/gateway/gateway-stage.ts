import OpenAI from "openai";
import type { Json, Served } from "../served.ts";

/** A client of OpenAI's package, by a user's token; it asks the server without a port. */
export async function openaiOf(served: Served, user = "bo", more: { readonly maxRetries?: number } = {}) {
  const apiKey = await served.token({ kind: "user", user });
  const fetch = (url: string | URL | Request, init?: RequestInit) => served.app.fetch(new Request(url, init));
  return new OpenAI({ apiKey, baseURL: "http://localhost/v1", fetch, maxRetries: 0, ...more });
}

export type Said = { readonly role: string; readonly content?: unknown; readonly [field: string]: unknown };

/** Posts a body as it is, and returns the answer with its headers. */
export async function post(served: Served, secret: string | undefined, body: unknown, headers = {}) {
  const bearer = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  const response = await served.app.fetch(
    new Request("http://localhost/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  return { status: response.status, headers: response.headers, body: isStream ? chunksIn(text) : JSON.parse(text) };
}

export function chunksIn(text: string): Json[] {
  const lines = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string);
  return lines.map((one) => (one === "[DONE]" ? one : JSON.parse(one)));
}

export const user = (content: unknown): Said => ({ role: "user", content });
export const assistant = (content: string): Said => ({ role: "assistant", content });
export const system = (content: string): Said => ({ role: "system", content });
