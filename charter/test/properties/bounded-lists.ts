import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { piMessages } from "../../src/agent/extension/event-hook.ts";
import { createToolRegistry } from "../../src/agent/extension/tool-registry.ts";
import { screenTool } from "../../src/agent/mcp/mcp-tools.ts";
import { promptInput } from "../../src/channels/editor/client-message.ts";
import { incomingOf } from "../../src/channels/telegram/incoming.ts";
import { openFolderCharter } from "../../src/charters/folder.ts";
import { readPeople } from "../../src/cli/commands/invite.ts";
import { readCase } from "../../src/host/check/case-file.ts";
import { allOperations } from "../../src/operations/operations.ts";
import { defineCharter } from "../../src/prompt/charter.ts";
import { nothingForbidden } from "../../src/prompt/structure.ts";
import { checkConfig } from "../../src/server/config.ts";
import { parseTemplate } from "../../src/sources/charter-folder/template.ts";
import { headerOf, parseLine } from "../../src/store/lifecycle/checkpoint.ts";
import { type Json, newServed, type Served } from "../server/served.ts";
import { functionsTaking } from "./bounded-work.ts";
import { endCounting } from "./work.ts";

const folders = [
  "agent",
  "amend",
  "channels",
  "charters",
  "delivery",
  "host",
  "operations",
  "prompt",
  "server",
  "sources",
  "store",
];
/** What a parameter is called that holds what somebody sent, before anybody knows what it is. */
const called =
  /^(?:given|body|value|listed|answer|update|call|options|messages|models|settings|outcome|native|inbox|content|output|texts|names|report|reported|rules|label|ask|window|mode)\??: (?:unknown\b|readonly unknown\[\]|readonly string\[\])/;

/** Every exported function that takes lists or objects of anybody's, and which of its parameters they are. */
export const listFunctions = () => functionsTaking(called, folders);

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const thing = (index: number) => ({
  ...{
    id: `id${index}`,
    name: `name_${index}`,
    type: "text",
    role: "user",
    text: `Text ${index}`,
    url: `https://a.test/${index}`,
  },
  ...{ inputSchema: { type: "object" }, content: [{ type: "text", text: `Part ${index}` }] },
});

/** So many items, in each shape that a stranger can give a list or an object. */
export function itemsOf(count: number): Readonly<Record<string, unknown>> {
  return {
    texts: many(count, (index) => `text ${index}`),
    same: many(count, () => "the same"),
    things: many(count, thing),
    fields: Object.fromEntries(many(count, (index) => [`field_${index}`, `value ${index}`])),
    entries: Object.fromEntries(many(count, (index) => [`entry-${index}`, thing(index)])),
    inside: {
      messages: many(count, thing),
      tools: many(count, thing),
      parts: many(count, thing),
      content: many(count, thing),
    },
  };
}

const names = (value: unknown) => (Array.isArray(value) ? value.map(String) : Object.keys(Object(value)));
const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
const place = { place: "it", code: "bad-it", mayAllow: true, fields: {} };
const field = allOperations[0]?.answer;

/** What those are given that take more than the value, and names before it. */
const listCalls: Readonly<Record<string, (value: unknown) => readonly unknown[]>> = {
  "agent/tool.ts checkToolInput": (value) => [{ name: "t", input: schema }, value],
  "agent/tool.ts parseWithoutNulls": (value) => [schema, value],
  "operations/print/columns.ts columns": (value) => [names(value), [names(value)], { width: 80 }],
  "operations/read-input.ts readField": (value) => [field, value, { at: "", isText: false, invalid: [] }],
  "operations/read-input.ts toldPart": (value) => [field, value],
  "prompt/fence.ts inertTogether": (value) => [names(value), names(value), { ...nothingForbidden, level: 2 }],
  "prompt/sound.ts replaceIn": (value) => [names(value), { between: "", pattern: /x/g, change: () => "y" }],
  "server/gateway/chat-request.ts readChatRequest": (value) => [value, []],
  "server/setting.ts checkSettings": (value) => [{}, value, "it"],
  "sources/trust/trust.ts trustedFiles": (value) => [names(value), { cwd: "/nowhere", userHome: "/nowhere" }],
};

/** Arguments of one of these functions, with a value where it takes anybody's. */
export function argumentsOf({ key, at, parameter }: ReturnType<typeof listFunctions>[number], value: unknown) {
  const given = parameter.endsWith("string[]") ? names(value) : value;
  return listCalls[key]?.(value) ?? [...Array(at).fill("it"), given, place];
}

let served: Served;
let secret = "";
let asked = 0;

export function stageDoors(): void {
  beforeAll(async () => {
    served = await newServed({ openai: true });
    secret = await served.token({ kind: "user", user: "bo" });
  });
  afterAll(async () => {
    endCounting();
    await served.close();
  });
}

async function post(path: string, body: unknown): Promise<void> {
  const headers = {
    ...{ "content-type": "application/json", authorization: `Bearer ${secret}` },
    accept: "application/json, text/event-stream",
  };
  const request = new Request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await (await served.app.fetch(request)).text();
}

const user = (content: unknown) => ({ role: "user", content });
/** A chat that nobody has on record: each has other words. */
const chat = (messages: readonly Json[], more: object = {}) => {
  const mark = ++asked;
  return () => post("/v1/chat/completions", { model: "ada", messages: [...messages, user(`Now ${mark}`)], ...more });
};
const callsOf = (count: number) =>
  many(count, (index) => ({ id: `c${index}`, type: "function", function: { name: "look", arguments: "{}" } }));
const resultOf = ({ id }: { readonly id: string }) => ({ role: "tool", tool_call_id: id, content: "A result." });

/** Opens a folder with these files, as a running service has it. */
function folder(files: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), "charter-lists-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const open = openFolderCharter(path);
  return () => open().catch(() => {});
}
const layout = "name: tally\nlayers:\n  - { name: law, mutability: live, sections: [rules] }\n";
const lines = (count: number, make: (index: number) => string) => many(count, make).join("");
/** One that cannot be used, for so many reasons. */
export const refusedFolder = (count: number) =>
  folder({ "charter.yaml": layout + lines(count, (index) => `wrong${index}: x\n`) });

const update = (message: object) => () =>
  void incomingOf({
    update_id: 1,
    message: { chat: { id: 1, type: "private" }, from: { id: 1 }, ...message },
  } as never);
const tool = (name: string) => ({ name, description: `Says ${name}.`, input: { type: "object" } });

type Door = (count: number) => () => unknown;

/** Where lists and objects of anybody's come in, each as a stranger would fill it. */
export const doors: Readonly<Record<string, Door>> = {
  "a chat: exchanges on no record": (count) =>
    chat(
      many(count, (index) => [user(`Question ${index} <a`), { role: "assistant", content: `Answer ${index}` }]).flat(),
    ),
  "a chat: long exchanges on no record": (count) =>
    chat(many(count, (index) => [user("<a ".repeat(300)), { role: "assistant", content: `Answer ${index}` }]).flat()),
  "a chat: answers in a row": (count) =>
    chat([user("Hi"), ...many(count, () => ({ role: "assistant", content: "Yes." }))]),
  "a chat: system messages": (count) => chat(many(count, (index) => ({ role: "system", content: `Rule ${index}.` }))),
  "a chat: parts": (count) => chat([user(many(count, (index) => ({ type: "text", text: `Part ${index}` })))]),
  "a chat: calls in one answer": (count) => {
    const calls = callsOf(count);
    return () =>
      post("/v1/chat/completions", {
        model: "ada",
        messages: [user(`Hi ${++asked}`), { role: "assistant", tool_calls: calls }, ...calls.map(resultOf)],
      });
  },
  "a chat: answers with a call": (count) => {
    const rounds = callsOf(count).flatMap((call) => [{ role: "assistant", tool_calls: [call] }, resultOf(call)]);
    return () => post("/v1/chat/completions", { model: "ada", messages: [user(`Hi ${++asked}`), ...rounds] });
  },
  "a chat: fields nobody knows": (count) => chat([], itemsOf(count).fields as object),
  "a chat: tools": (count) =>
    chat([], { tools: many(count >> 3, (index) => ({ type: "function", function: tool(`tool_${index}`) })) }),
  "a tool beside many others": (count) => () =>
    screenTool(
      tool("look"),
      many(count, (index) => `other_${index}`),
    ),
  "a turn: parts": (count) => () =>
    post("/api/agents/ada/turns", { input: many(count, (index) => ({ text: `Part ${index}` })) }),
  "a turn: an AI SDK's messages": (count) => () => post("/api/agents/ada/turns", { messages: many(count, thing) }),
  "MCP: arguments": (count) => () =>
    post("/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "sections_show", arguments: itemsOf(count).entries },
    }),
  "MCP: a batch": (count) => () =>
    post(
      "/mcp",
      many(count, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" })),
    ),
  "Telegram: marks in a message": (count) =>
    update({ text: "Hi ".repeat(count), entities: many(count, (offset) => ({ type: "code", offset, length: 1 })) }),
  "Telegram: sizes of a picture": (count) =>
    update({ photo: many(count, (index) => ({ file_id: `f${index}`, width: index, height: 1 })) }),
  "an editor: blocks": (count) => () => promptInput(many(count, (index) => ({ type: "text", text: `Block ${index}` }))),
  "a folder: wrong fields": refusedFolder,
  "a folder: wrong names": (count) =>
    folder({
      "charter.yaml": `${layout}  - { name: b, mutability: live, sections: [${many(count, (index) => `s${index}`)}] }\n`,
    }),
  "a folder: sources that are none": (count) =>
    folder({
      "charter.yaml": layout,
      "rules.md": `---\ntrust: user\nsources: [${many(count, (index) => `s${index}`)}]\n---\n`,
    }),
  "a folder: files": (count) =>
    folder({
      "charter.yaml": `name: t\nlayers:\n  - { name: b, mutability: live, sections: [${many(count, (index) => `s${index}`)}] }\n`,
      ...Object.fromEntries(
        many(count, (index) => [`s${index}.md`, "---\nname: twice\nheading: '## Same'\n---\nWords.\n"]),
      ),
    }),
  "a template: marks": (count) => () => parseTemplate("{{ a }}".repeat(count)),
  "a template: lines": (count) => () => parseTemplate("{{ a }}\nb\n".repeat(count)),
  "a case: wrong fields": (count) => () =>
    readCase(
      "a.yaml",
      lines(count, (index) => `wrong${index}: x\n`),
    ),
  "a case: expectations": (count) => () =>
    readCase("a.yaml", `has:\n${lines(count, (index) => `  - Words ${index}\n`)}`),
  "a charter of code: sections": (count) => () =>
    defineCharter({
      name: "many",
      layers: many(count, (index) => ({
        ...{ name: `layer ${index}`, mutability: "fixed" as const },
        sections: [{ name: `section ${index}`, heading: `## Section ${index}`, words: "Words." }],
      })),
    }),
  "a file of people": (count) => () =>
    readPeople(`user,email\n${lines(count, (index) => `bo${index},bo@x.org\n`)}`, {
      file: "a.csv",
      agents: ["ada"],
      agent: "ada",
    }),
  "a configuration: models": (count) => () => {
    try {
      checkConfig({ models: itemsOf(count).entries }, "charter.config.ts");
    } catch {}
  },
  "a checkpoint: its header": (count) => () => {
    try {
      headerOf(JSON.stringify({ charter: "checkpoint", ...itemsOf(count) }), "a.checkpoint", {
        parts: [],
        tables: [],
      } as never);
    } catch {}
  },
  "a checkpoint: a line": (count) => () => parseLine(JSON.stringify(itemsOf(count))),
  "an extension: tools": (count) => () => {
    const registry = createToolRegistry([]);
    for (const index of many(count, (index) => index)) registry.register("e", { name: `tool_${index}` } as never);
    registry.setActive(many(count, (index) => `tool_${index}`));
  },
  "an extension: messages": (count) => () => {
    const { messages, back } = piMessages(
      many(count, () => ({ role: "user", text: "The same." })),
      0,
    );
    back(messages.map((one) => ({ ...one })));
  },
};
