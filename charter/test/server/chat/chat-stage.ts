import { expect } from "vitest";
import { signInLink } from "../../../src/operations/users/tokens.ts";
import type { Answer, Ask, Served } from "../served.ts";

/** What our own page says with every request. */
export const own = { origin: "http://localhost", "sec-fetch-site": "same-origin", "x-charter-csrf": "1" };

/** The two halves of a session at the page for users. */
export type Chat = { readonly cookie: string; readonly half: string };

export type ChatUser = { readonly user: string; readonly agent: string };

export async function codeFor(served: Pick<Served, "store">, whose: ChatUser): Promise<string> {
  return (await signInLink(served.store, "http://localhost", whose)).split("#")[1] as string;
}

/** Asks anywhere on the server, as whoever has these headers. */
export async function askAt(
  { app }: Pick<Served, "app">,
  request: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer & { readonly text: string }> {
  const [method = "", path = ""] = request.split(/ (.*)/s);
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const response = await app.fetch(
    new Request(new URL(path, "http://localhost"), {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const endless = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (endless) await response.body?.cancel();
  const text = endless ? "" : await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: isJson ? JSON.parse(text) : undefined, headers: response.headers, text };
}

export const handIn = (served: Pick<Served, "app">, code: unknown, headers: Record<string, string> = own) =>
  askAt(served, "POST /chat/sign-in", headers, { code });

/** From the link to the session. */
export async function signIn(served: Pick<Served, "app" | "store">, whose: ChatUser): Promise<Chat> {
  const answer = await handIn(served, await codeFor(served, whose));
  expect(answer.status).toBe(200);
  return { cookie: answer.headers.get("set-cookie")?.split(";")[0] as string, half: answer.body.half };
}

export const headersOf = ({ cookie, half }: Chat) => ({ ...own, cookie, "x-charter-half": half });

/** Asks under /chat/api as the page does. */
export function asPage(served: Pick<Served, "app">, chat: Chat): Ask {
  return (request, body, headers) =>
    askAt(served, request.replace(" ", " /chat/api"), { ...headersOf(chat), ...headers }, body);
}
