import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCharter } from "../../src/server/open.ts";
import { createStore, sqlite } from "../../src/store/index.ts";
import { newResidentFolder, type ResidentFolder } from "../relays/resident-folder.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";
import { deadAddress, type TestRelay } from "../relays/test-relay.ts";

/** A resident's key is looked for wherever words come out. */

let relay: TestRelay;
let resident: ResidentFolder;

beforeAll(async () => {
  relay = await startStrictRelay({ login: "required" });
  resident = await newResidentFolder([relay.url, await deadAddress()], {
    settings: { base: "You live here." },
  });
});
afterAll(async () => {
  resident.remove();
  await relay.stop();
});

const found = (words: string) => resident.secrets.filter((secret) => words.includes(secret));

/** Runs a command, finds no key in what it says, and gives that. */
async function run(args: readonly string[], stdin?: string): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr } = await resident.run(args, stdin);
  expect([args, found(stdout + stderr)]).toEqual([args, []]);
  return { code, said: stdout + stderr };
}

test("no command says it: not while it works, nor in JSON", async () => {
  const codes: (number | null)[] = [];
  for (const args of [
    ["core", "new", "--json"],
    ["core", "set", "You are Ada.", "--json"],
    ["core", "get", "--json"],
    ["core", "history", "--json"],
    ["core", "list", "--json"],
    ["show", "--agent", "ada", "--json"],
    ["why", "--agent", "ada", "You are Ada.", "--json"],
    ["chat", "--agent", "ada", "--json", "Who are you?"],
    ["agents", "show", "ada", "--json"],
  ])
    codes.push((await run(args)).code);
  expect(codes).toEqual(codes.map(() => 0));
  const doctor = await run(["doctor", "--json"]);
  expect(JSON.parse(doctor.said).checks).toContainEqual({
    what: expect.stringMatching(/^The core memory of “ada” \(npub1\w+\) is on 1 of 2 relays: event/),
    fine: true,
  });
});

test("it is in no file but its own: not in the database, a checkpoint or an export", async () => {
  expect((await run(["checkpoint", "save", "all.checkpoint"])).code).toBe(0);
  const { said } = await run(["export", "--user", "bo"]);
  expect(said).not.toBe("");
  const names = resident.folder.names().filter((name) => name !== "ada.key");
  expect(names).toEqual(expect.arrayContaining([".charter/charter.db", "all.checkpoint"]));
  for (const name of names)
    expect([name, found(readFileSync(join(resident.folder.path, name), "latin1"))]).toEqual([name, []]);
});

test("a server's log and answers do not have it", async () => {
  const store = await createStore(sqlite(join(resident.folder.path, ".charter/charter.db")));
  const lines: string[] = [];
  const keys = { ada: { file: join(resident.folder.path, "ada.key") } };
  const log = (entry: unknown) => lines.push(JSON.stringify(entry));
  const opened = await openCharter({
    store,
    config: { port: 0, keys },
    services: { http: true, schedules: true },
    env: {},
    log: log as never,
  });
  try {
    const { secret } = await store.tokens.create({ name: "operator", kind: "operator" });
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const ask = async (path: string, body?: object) => {
      const method = body === undefined ? "GET" : "POST";
      const answer = await fetch(`${opened.url}/api/agents/ada${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const operation = { kind: "append", content: "You like tea." };
    const answers = [
      await ask("/core"),
      await ask("/proposals", { section: "core", operation }),
      await ask("/turns", { input: "Hello.", user: "bo" }),
      await ask("/core/publish", {}),
    ];
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["200", "201", "200", "200"]);
    expect(answers[1]).toContain('"state":"published"');
    expect(found(answers.join("\n"))).toEqual([]);
  } finally {
    await opened.close();
    await store.close();
  }
  expect(lines.length).toBeGreaterThan(3);
  expect(found(lines.join("\n"))).toEqual([]);
});

describe("what is wrong with a key is named, and the key is not", () => {
  const config = (keys: string) => resident.folder.write("charter.config.ts", `export default { keys: ${keys} };\n`);
  const get = async () => {
    await run(["trust"]);
    const { code, said } = await run(["core", "get"]);
    return [code, said.split("\n")[0]];
  };

  test("a file that others can read", async () => {
    chmodSync(join(resident.folder.path, "ada.key"), 0o644);
    const { code, said } = await run(["core", "get"]);
    expect([code, said]).toEqual([2, expect.stringMatching(/^key-exposed: /)]);
    const { said: doctor } = await run(["doctor"]);
    expect(doctor).toMatch(/look {2}The core memory of “ada” cannot be read: .*ada\.key/);
    const { said: shown } = await run(["show", "--no-user"]);
    expect(shown).toMatch(/^You live here\.\n?notice: key-exposed: /);
    chmodSync(join(resident.folder.path, "ada.key"), 0o600);
  });

  test("a key in place of where it is, a variable that is not set, a command that fails and talks", async () => {
    const [nsec = "", , hex = ""] = resident.secrets;
    config(`{ ada: ${JSON.stringify(nsec)} }`);
    expect(await get()).toEqual([
      2,
      "bad-config: The setting “keys.ada” in charter.config.ts does not say where the key is.",
    ]);
    config('{ ada: { env: "ADA_NOSTR_KEY" } }');
    expect(await get()).toEqual([
      2,
      "key-missing: The environment variable ADA_NOSTR_KEY, where the key “ada” is to be, is not set.",
    ]);
    config(`{ ada: { command: ["sh", "-c", "cat ada.key >&2; cat ada.key; exit 3"] } }`);
    expect(await get()).toEqual([2, expect.stringMatching(/^key-missing: /)]);
    config('{ ada: { command: ["sh", "-c", "cat ada.key; echo more"] } }');
    expect(await get()).toEqual([2, "bad-key: What was read for the key “ada” is no secret key of Nostr."]);
    const settings = { memory: { relays: ["ws://127.0.0.1:9"], owner: hex, key: nsec } };
    const { code, said } = await run(["agents", "set", "ada", "--settings", "-"], JSON.stringify(settings));
    expect([code, said.split("\n")[0]]).toEqual([
      2,
      "bad-settings: The settings contain a secret Nostr key, in “memory.key”: settings are shown, and are part of checkpoints.",
    ]);
  });

  test("a configuration that was not looked at is not run", async () => {
    resident.folder.write("charter.config.ts", 'console.log("RAN"); export default {};\n');
    const { code, said } = await run(["core", "get"]);
    expect([code, said.split("\n")]).toEqual([
      2,
      [
        `config-untrusted: “charter.config.ts” in ${resident.folder.path} says where keys are, and is not used: it is not what it was when it was trusted (changed, new or gone: “charter.config.ts”).`,
        "  Look at what the directory brings, then say charter trust.",
        "",
      ],
    ]);
    expect((await run(["show", "--no-user"])).said).not.toContain("RAN");
    expect((await run(["agents"])).said).not.toContain("RAN");
    await run(["trust"]);
    expect((await run(["core", "get"])).said).toMatch(
      /RAN\n?key-missing: There is no key “ada” in the configuration\./,
    );
  });
});
