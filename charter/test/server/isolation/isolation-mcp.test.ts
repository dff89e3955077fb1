import { expect, test } from "vitest";
import { allOperations } from "../../../src/operations/operations.ts";
import type { Json } from "../served.ts";
import { type CallerName, callers } from "../who-may.ts";
import { canary, secrets, served, stageIsolation } from "./isolation-stage.ts";

stageIsolation();

const people: readonly CallerName[] = ["the user's", "JWT of the user", "operator's"];
const others: readonly CallerName[] = ["another user's", "the user's, for another agent"];

async function rpc(caller: CallerName, method: string, params: object): Promise<{ status: number; text: string }> {
  const secret = secrets.get(caller);
  const response = await served.app.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }),
  );
  const words = await response.text();
  return { status: response.status, text: /^data: (.*)$/m.exec(words)?.[1] ?? words };
}

/** What a model might try: Bo's, by every name that a tool takes. */
async function attempt(tool: Json, turn: string, note: string): Promise<object> {
  const known: Record<string, unknown> = {
    ...{ agent: "ada", user: "bo", section: "instructions", words: canary, query: canary, note, id: turn },
    operation: { kind: "append", content: "- Be brief." },
  };
  const named = Object.keys(tool.inputSchema.properties ?? {}).filter((name) => name in known);
  return Object.fromEntries(named.map((name) => [name, known[name]]));
}

test("a model has the tools of whoever's token it has, and reads nobody else's words with them", async () => {
  const { store } = served;
  await store.memory.save({ agent: "ada", user: "bo" }, { text: canary });
  await served.bo("POST /agents/ada/turns", { input: canary });
  const [turn] = await store.turns.list({ agent: "ada", user: "bo" });
  const [note] = await store.memory.list({ agent: "ada", user: "bo" });
  const read = new Map<CallerName, number>();
  for (const caller of callers) {
    const { status, text } = await rpc(caller, "tools/list", {});
    if (![...people, ...others].includes(caller)) {
      expect([caller, status]).toEqual([caller, expect.toBeOneOf([401, 403])]);
      continue;
    }
    const { tools } = JSON.parse(text).result as { readonly tools: Json[] };
    const declared = allOperations.filter(({ tool }) => tool).map(({ name }) => name.replaceAll(".", "_"));
    expect(tools.map(({ name }) => name)).toEqual(declared);
    for (const tool of tools) {
      const input = await attempt(tool, turn?.id ?? "", note?.id ?? "");
      const answer = await rpc(caller, "tools/call", { name: tool.name, arguments: input });
      const holds = answer.text.replaceAll(`${canary}” is`, "").includes(canary);
      if (others.includes(caller)) expect([caller, tool.name, holds]).toEqual([caller, tool.name, false]);
      else if (holds) read.set(caller, (read.get(caller) ?? 0) + 1);
    }
  }
  // Otherwise nothing was tried.
  for (const caller of people) expect(read.get(caller)).toBeGreaterThan(3);
});

test("deciding, tokens, links, trust, erasing and grants are no tools, whatever the token", async () => {
  const { text } = await rpc("operator's", "tools/list", {});
  const names = (JSON.parse(text).result.tools as Json[]).map(({ name }) => name);
  expect(names.filter((name) => /appro|reject|token|link|trust|erase|grant|invit|remove|freeze/.test(name))).toEqual(
    [],
  );
  for (const name of ["approvals_approve", "tokens_create", "users_erase", "automaton_grant"]) {
    const { text: told } = await rpc("operator's", "tools/call", { name, arguments: { id: "x" } });
    expect(JSON.parse(told).error.message).toContain("There is no tool");
  }
});
