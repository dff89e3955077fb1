import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { main } from "../../src/cli/main.ts";
import { type Caller, checkWho } from "../../src/operations/caller.ts";
import { fieldsAt, type Operation, type OperationContext } from "../../src/operations/operation.ts";
import { readFields } from "../../src/operations/read-input.ts";
import { Problem } from "../../src/prompt/problem.ts";
import { createFindCaller } from "../../src/server/auth/find-caller.ts";
import { type Copy, everyMs, filled, operator } from "./doors-stage.ts";
import { service } from "./filled-state.ts";
import { argsOf, type Input, requestOf } from "./row-input.ts";

/** What came of asking, told alike for every door. `status`: of HTTP; the exit code of a command. */
export type Outcome = { readonly answer?: unknown; readonly refused?: string; readonly status?: number };

/** The caller that a server finds behind a secret. */
export async function callerOf({ store }: Copy, name: string): Promise<Caller> {
  const find = createFindCaller(store, { signed: true });
  const { cookie, half } = filled.chat;
  const credentials =
    name === "chat"
      ? ({ secret: `${cookie.split("=")[1]}.${half}`, by: "chat" } as const)
      : ({ secret: filled.secrets[name] as string, by: "header" } as const);
  const caller = await find(credentials, {
    method: "GET",
    path: "/api/agents/sol/inbox/signed",
    header: () => undefined,
  });
  if (caller === undefined || caller === "over") throw new Error(`Nobody is known as “${name}”.`);
  return caller;
}

/** What the server of these tests knows of itself. */
const knownOfService = { everyMs, address: async () => service, command: { name: "charter", options: "" } };

/** The row itself: whoever may ask, and what it does. */
export async function askLibrary(
  copy: Copy,
  row: Operation,
  asked: {
    readonly caller: Caller;
    readonly input: Input;
    readonly door: "route" | "command";
    readonly isModel?: boolean;
  },
): Promise<Outcome> {
  const { store, host } = copy;
  const invalid: { at: string; reason: string }[] = [];
  const fields = fieldsAt(row.input, asked.door);
  const input = readFields(fields, asked.input, { at: "", isText: false, invalid });
  if (invalid.length > 0)
    throw new Error(`${row.name}: ${invalid.map(({ at, reason }) => `${at} ${reason}`).join("; ")}`);
  const context: OperationContext = {
    ...{ store, caller: asked.caller, operator, clock: () => new Date(), host: async () => host },
    service: asked.door === "route" ? (knownOfService as OperationContext["service"]) : {},
    ...(asked.isModel && { model: { trusted: false } }),
  };
  try {
    checkWho(row, asked.caller);
    return { answer: await row.run?.(context, input) };
  } catch (error) {
    if (error instanceof Problem) return { refused: error.code };
    throw error;
  }
}

/** Headers that say who asks. */
export function headersOf(caller: string): Record<string, string> {
  if (caller === "nobody") return {};
  if (caller !== "chat") return { authorization: `Bearer ${filled.secrets[caller]}` };
  const own = { origin: service, "sec-fetch-site": "same-origin", "x-charter-csrf": "1" };
  return { ...own, cookie: filled.chat.cookie, "x-charter-half": filled.chat.half };
}

/** The route: under `/chat/api` for a session at the page for users. */
export async function askHttp({ app }: Copy, row: Operation, caller: string, input: Input): Promise<Outcome> {
  const request = requestOf(row, input, `${service}${caller === "chat" ? "/chat/api" : "/api"}`);
  for (const [name, value] of Object.entries(headersOf(caller))) request.headers.set(name, value);
  const response = await app.fetch(request);
  const text = await response.text();
  const answer = (response.headers.get("content-type") ?? "").includes("json") ? JSON.parse(text) : text;
  if (answer?.error === undefined) return { status: response.status, answer };
  return { status: response.status, refused: answer.error.code };
}

/** The command, with `--json`, in this process. */
export async function askCommand({ database }: Copy, row: Operation, input: Input): Promise<Outcome> {
  const { code, out } = await runMain([...argsOf(row, input), "--json", "--database", database]);
  const answer = out === "" ? undefined : JSON.parse(out);
  return answer?.problem ? { status: code, refused: answer.problem.code } : { status: code, answer };
}

/** Runs a command in this process, as its first file does. */
export async function runMain(args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const { stdout, stderr } = process;
  const kept = { out: stdout.write, err: stderr.write };
  let out = "";
  const hear = (words: string | Uint8Array) => {
    out += typeof words === "string" ? words : Buffer.from(words).toString("utf8");
    return true;
  };
  stdout.write = hear as typeof kept.out;
  stderr.write = (() => true) as typeof kept.err;
  try {
    return { code: await main(args), out };
  } finally {
    stdout.write = kept.out;
    stderr.write = kept.err;
    stdout.removeAllListeners("error");
  }
}

/** The tool of the MCP server, by the official client. What its connection settles is not given. */
export async function askMcp({ app }: Copy, row: Operation, caller: string, input: Input): Promise<Outcome> {
  const client = new Client({ name: "doors", version: "1" });
  const fetch = async (url: string | URL, about?: RequestInit) => app.fetch(new Request(url, about));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service}/mcp`), {
      fetch,
      requestInit: { headers: headersOf(caller) },
    }),
  );
  try {
    const name = row.name.replaceAll(".", "_");
    const { tools } = await client.listTools();
    const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
    const open = Object.fromEntries(Object.entries(input).filter(([field]) => Object.hasOwn(properties, field)));
    const { content, isError } = await client.callTool({ name, arguments: open });
    const [{ text }] = content as unknown as [{ readonly text: string }];
    if (isError) return { refused: JSON.parse(text).code };
    return { answer: JSON.parse(text.slice(text.indexOf("\n") + 1)) };
  } finally {
    await client.close();
  }
}
