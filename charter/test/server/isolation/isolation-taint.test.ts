import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workspaceTools } from "../../../src/agent/workspace/workspace-tools.ts";
import { usualChannels } from "../../../src/charters/assistant/sections.ts";
import { counterpartKey } from "../../../src/store/scope.ts";
import { calls } from "../../agent/model.ts";
import { tool } from "../../agent/stage.ts";
import { createFolder, type Folder } from "../../cli.ts";
import { type HttpServer, startHttpServer } from "../../mcp/http.ts";
import { listed } from "../../mcp/stage.ts";
import { newServed, type Served } from "../served.ts";
import { wordless } from "../who-may.ts";
import { type Door, doors, type Entry, word } from "./taint-doors.ts";

/** Every door × a foreign word in × what it would have the agent do: a sensitive act, an amendment, a note out. */

/** What came of each: all wait, or are marked, unless docs/security.md chooses that the door's words taint nothing. */
const closed = { act: "waits", amendment: "waits", note: "foreign" };
const open = { act: "ran", amendment: "stands", note: "own" };
/** What a door has no way to do. */
const some: Readonly<Record<string, object>> = {
  "a model of a client over MCP": { ...closed, act: "untried", note: "untried" },
};

let served: Served;
let folder: Folder;
let server: HttpServer;
const paid = new Set<string>();

/** A coding agent's tools that read, as they are declared, on a disk with the word in every file. */
const coders = () =>
  workspaceTools({ root: folder.path }).flatMap((one) =>
    /edit|write/.test(one.name) ? [] : [{ ...one, run: () => word }],
  );

beforeAll(async () => {
  folder = createFolder({ "tools.json": JSON.stringify([listed("read")]) });
  server = await startHttpServer(join(folder.path, "tools.json"), "json");
  const tools = [
    tool("pay", (_, { user }) => `Paid ${paid.add(String(user)).size}.`, { trusted: true }),
    tool("look", () => word, { harmless: true }),
    tool("broken", () => Promise.reject(new Error(word)), { harmless: true }),
    tool("own", () => word, { trusted: true, reads: true }),
    ...coders(),
  ];
  const mcp = { odd: { url: server.url, harmless: ["read"] } };
  served = await newServed({ openai: true, host: { channels: { pager: "One line." }, mcp, tools } });
  const { store } = served;
  const set = (name: string, settings: Readonly<Record<string, unknown>>) =>
    store.agents.update(name, async (before) => ({ ...before, settings }));
  await set("ada", { mcp: ["odd"] });
  await set("eve", { attachments: { trusted: true } });
  await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
});
afterAll(async () => {
  await served.close();
  await server.close();
  folder.remove();
});

let users = 0;

/** Opens a door to somebody who was never there, and gives what came of it. */
async function entered([, , , enter, agent = "ada"]: Door) {
  const { store, house, model } = served;
  const name = `u${++users}`;
  const user = agent === "sol" ? counterpartKey(name) : name;
  const scope = { agent, user };
  const amends =
    agent === "sol"
      ? (["update_prompt_layer", { layer_id: 6, content: word }] as const)
      : (["update_instructions", { instructions: word }] as const);
  const acts = calls(["pay", {}], amends, ["save_memory", { content: word }]);
  const entry: Entry = {
    ...served,
    ...{ user, scope, ask: served.as(await served.token({ kind: "user", user: name })) },
    script: (...lines) => model.say(...lines, acts, "Done."),
    turn: (more) => house.runTurn({ ...scope, channel: "web", input: "Go.", ...more }),
  };
  await enter(entry);
  const waits = await store.calls.list({ ...scope, status: "waiting" });
  const own = new Set((await store.turns.list(scope)).map(({ id }) => id));
  const proposed = await store.held.list({ agent, status: "waiting", limit: 1000 });
  const held = proposed.filter(({ scope, proposal }) => scope.user === user || own.has(proposal.turn ?? ""));
  const amended = await store.history.sections(scope);
  const notes = (await store.memory.list(scope)).filter(({ turn }) => turn !== null);
  return {
    act: paid.has(user) ? "ran" : waits.some(({ tool }) => tool === "pay") ? "waits" : "untried",
    amendment: held.length > 0 ? "waits" : amended.length > 0 ? "stands" : "untried",
    note: notes.length === 0 ? "untried" : notes.every(({ tainted }) => tainted) ? "foreign" : "own",
  };
}

describe("a foreign word that comes in", () => {
  for (const door of doors) {
    const [name, of, isOpen] = door;
    test(`${name} (${of})`, async () => {
      expect(await entered(door)).toEqual(some[name] ?? (isOpen ? open : closed));
    }, 60_000);
  }
});

describe("no door is forgotten", () => {
  const ways = new Set(doors.map(([, of]) => of));

  const source = resolve(import.meta.dirname, "../../../src");
  const filesOf = (pattern: string) =>
    globSync(pattern, { cwd: source }).flatMap((file) =>
      file.endsWith(".test.ts") ? [] : [{ file, text: readFileSync(join(source, file), "utf8") }],
    );

  test("every route that changes something brings no words to an agent, or is a door", () => {
    const routes = Object.entries(served.document.paths as object).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // What is no part of the API, and no sign-in.
    const besides = filesOf("server/{*,gateway/*}.ts").flatMap(({ text }) =>
      [...text.matchAll(/\bapp\.(?:post|put|all)\(\s*"([^"]+)"/g)].map(([, path]) => `POST ${path}`),
    );
    const changing = [...routes.filter((route) => !route.startsWith("GET ")), ...besides];
    const known = [...wordless, "POST /telegram/:agent", ...[...ways].filter((way) => /^[A-Z]+ /.test(way))];
    expect(changing.toSorted()).toEqual(known.toSorted());
  });

  test("every channel is a door", () => {
    const channels = [...Object.keys(usualChannels), "automaton", "chain"].map((name) => `channel ${name}`);
    expect([...ways].filter((way) => /^channel (?!of)/.test(way)).toSorted()).toEqual(channels.toSorted());
  });

  test("every file that runs turns is one of those the doors lead through", () => {
    const runs = /\b(?:host\.runTurn|host\.callTool|startTurn)\(/;
    const files = filesOf("{channels,cli,host,operations,server}/**/*.ts").flatMap(({ file, text }) =>
      runs.test(text.replace(/"Give .*"/g, "")) ? [file] : [],
    );
    expect(files.toSorted()).toEqual([
      "channels/automaton/round.ts",
      "channels/editor/editor-session.ts",
      "channels/scheduled/scheduler.ts",
      "channels/update-worker.ts",
      "cli/chat/talk.ts",
      // What the demo's people say is written there.
      "cli/demo/demo-house.ts",
      "operations/tools.ts",
      "server/gateway/gateway.ts",
      "server/turns/take-turn.ts",
      "server/turns/turn-stream.ts",
    ]);
  });

  test("every tool of Charter's own whose results are not quoted, and that reads, is a door", async () => {
    const agents = ["ada", "sol"].map((agent) => served.house.tools({ agent }));
    const tools = [...(await Promise.all(agents)).flat(), ...workspaceTools({ root: folder.path })];
    const readers = tools
      .filter(({ name, trusted, reads }) => trusted && reads && name !== "own")
      .map(({ name }) => name);
    const missing = [...new Set(readers)].filter((name) => !ways.has(`tool ${name}`));
    expect(missing).toEqual([]);
  });

  test("what is open is what docs/security.md chooses, by name", () => {
    const doc = readFileSync(resolve(import.meta.dirname, "../../../../docs/security.md"), "utf8");
    const [, table = ""] = /^## Others' words\n([\s\S]*?)^## /m.exec(doc) ?? [];
    const rows = [...table.matchAll(/^\| \*{0,2}(.+?)\*{0,2} \| \*{0,2}no\*{0,2} \|$/gm)].map(([, what]) => what);
    const used = new Set(doors.flatMap(([, , why]) => (why ? [why] : [])));
    expect(rows.toSorted()).toEqual([...used].toSorted());
  });
});
