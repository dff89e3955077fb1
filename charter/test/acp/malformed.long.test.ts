import fc from "fast-check";
import { expect, test } from "vitest";
import { type Step, scriptedAgent } from "./agent-script.ts";
import { acpStage, talkTo } from "./talk.ts";

const any = fc.anything({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value ?? null) ?? "null") as unknown);
const methods = [
  "session/update",
  "session/request_permission",
  "fs/read_text_file",
  "terminal/create",
  "$/cancel_request",
  "elicitation/create",
  "x",
];
const fields = fc.dictionary(
  fc.constantFrom("sessionId", "update", "toolCall", "options", "_meta", "subject", "title"),
  any,
);
const params = fc.oneof(
  any,
  fields,
  fields.map((one) => ({ ...one, sessionId: "session-1" })),
);
const message = fc.record({ method: fc.constantFrom(...methods), params, isRequest: fc.boolean() });

test.each([1, 2] as const)(
  "50,000 malformed messages over version %s: every request has its answer, and the turn its end",
  async (version) => {
    const { folder, agents } = acpStage();
    const messages = fc.sample(message, { numRuns: 50_000, seed: version });
    const lines = messages.map(({ method, params: given, isRequest }, index) =>
      JSON.stringify({ jsonrpc: "2.0", method, params: given, ...(isRequest ? { id: `odd-${index}` } : {}) }),
    );
    const chunks = Array.from(
      { length: 50 },
      (_, at): Step => ({ garbage: lines.slice(at * 1000, (at + 1) * 1000).join("\n") }),
    );
    const agent = scriptedAgent(folder, { version, turns: [[...chunks, { say: "Still here" }, { request: "last" }]] });
    const talk = talkTo(agents({ one: agent.entry }).model("one"));
    expect(await talk.reply("Hello")).toContain("Still here");
    const asked = messages.flatMap(({ isRequest, method }, index) =>
      isRequest ? [[`odd-${index}`, method] as const] : [],
    );
    const answers = new Map(
      agent
        .log()
        .flatMap((line) =>
          "received" in line && !("method" in line.received) ? [[line.received.id, line.received]] : [],
        ),
    );
    expect(asked.filter(([id]) => !answers.has(id))).toEqual([]);
    const codeOf = (id: string) => (answers.get(id)?.error as { readonly code?: number } | undefined)?.code;
    const unknown = asked.filter(
      ([, method]) => method !== "session/request_permission" && method !== "elicitation/create",
    );
    expect(new Set(unknown.map(([id]) => codeOf(id)))).toEqual(new Set([-32601]));
    const permissions = asked.filter(([, method]) => method === "session/request_permission").map(([id]) => codeOf(id));
    expect(permissions.every((code) => code === -32602 || code === undefined)).toBe(true);
  },
  600_000,
);
