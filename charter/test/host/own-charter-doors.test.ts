import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withoutTools } from "../../src/agent/bare-declaration.ts";
import type { Declaration } from "../../src/agent/declaration.ts";
import { sessionSetups } from "../../src/cli/acp/serve-editor.ts";
import { codingSetupFor, createTalk } from "../../src/cli/chat/talk.ts";
import { createHere } from "../../src/cli/shared/trust/here.ts";
import { createHostDeclarations, createSnapshots } from "../../src/host/declare.ts";
import { createHost, type HostPlace } from "../../src/host/index.ts";
import { createStore, type Store, sqlite } from "../../src/store/index.ts";
import { calls, scripted } from "../agent/model.ts";

/** What a charter's file says holds at every door, whether it stands in the declaration or beside it; or it is refused. */

const root = realpathSync(mkdtempSync(join(tmpdir(), "charter-doors-")));
const [cwd, home] = [join(root, "project"), join(root, "home")];
let store: Store;
beforeAll(async () => {
  mkdirSync(cwd);
  mkdirSync(home);
  store = await createStore(sqlite(":memory:"));
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const mcp = { withTools: async <Given>(_agent: unknown, declaration: Given) => declaration };
const here = createHere();
const values = (charter: string) => ({ charter, cwd, home, trust: false, here });

type Door = (file: string) => Promise<Declaration>;

async function agentOf(charter: string) {
  await store.agents.put({ name: "dev", charter });
  return store.agents.get("dev");
}

const hostWith = (model = scripted()) =>
  createHost({ store, model: "test/one", loadModel: async () => model, zone: "UTC" });

async function talkIn(file: string, model = scripted()) {
  const coding = await codingSetupFor(await agentOf(file), store, values(file), false);
  const about = { agent: "dev", user: "bo", channel: "terminal", sessionSettings: {}, attachments: {} };
  return createTalk(hostWith(model), { ...about, ask: "never", coding });
}

async function declaredAt(place: HostPlace, channel: string): Promise<Declaration> {
  const { declare } = createHostDeclarations({ store }, (_agent, given) => given, mcp, { place });
  return declare(await store.agents.get("dev"), { user: "bo", channel });
}

const chat: Door = async (file) => {
  const coding = await codingSetupFor(await agentOf(file), store, values(file), false);
  return declaredAt(coding?.place ?? {}, "terminal");
};
const acp: Door = async (file) => {
  const open = await sessionSetups(await agentOf(file), store, values(file));
  return declaredAt((await open(cwd, undefined)).place, "editor");
};
const service: Door = async (file) => {
  const declared = createHostDeclarations({ store }, (_agent, given) => given, mcp);
  return declared.declare(await agentOf(file), { user: "bo", channel: "web" });
};
const look: Door = async (file) => {
  const models = { isPriced: async () => false } as never;
  const snapshot = createSnapshots(
    { store, directory: cwd },
    agentOf.bind(undefined, file),
    models,
    (_, given) => given,
  );
  return (await snapshot({ agent: "dev" })).declaredTurn;
};
const plain: Door = async (file) => withoutTools(await service(file));

/** A problem, by words of it. */
type Refused = { readonly refused: string };
type Case = {
  /** The value as a declaration has it, and as it stands beside, where that is another. */
  readonly says: string;
  readonly beside?: string;
  readonly seen: (one: Declaration) => unknown;
  readonly is: unknown;
  /** Where it is not seen. */
  readonly inDirectory?: Refused;
  readonly inService?: Refused;
  readonly besideIs?: Refused;
  /** It is not there without tools. */
  readonly ofTools?: true;
};

const place = { relays: ["wss://relay.example"], owner: "ab".repeat(32), key: "dev" };
const noBeside = (name: string): Refused => ({ refused: `it exports “${name}” beside its charter` });
const own = `{ name: "own", layers: [{ name: "own", mutability: "live", sections: [{ name: "own", words: "Mine." }] }] }`;
const ofCharter = { says: own, seen: (one: Declaration) => one.charter.name, is: "own" };

/** A field that a declaration gains is missing here until somebody says what holds. */
const cases: { readonly [Name in keyof Required<Declaration>]: Case } = {
  charter: {
    ...ofCharter,
    inDirectory: { refused: "“own” is spread over a ready-made one" },
    besideIs: noBeside("charter"),
  },
  rules: {
    says: `async () => () => ({ guards: ["mine"] })`,
    beside: `() => ({ guards: ["mine"] })`,
    seen: async (one) => (await one.rules())("a", {}).guards,
    is: ["mine"],
  },
  tools: {
    says: `async () => [own]`,
    beside: `[own]`,
    seen: async (one) => ((await one.tools?.()) ?? []).filter(({ name }) => name === "own").length,
    is: 1,
    ofTools: true,
  },
  toolNames: {
    says: `["read_memory"]`,
    seen: (one) => one.toolNames,
    is: ["read_memory"],
    besideIs: noBeside("toolNames"),
  },
  toolNotices: {
    says: "[]",
    seen: () => undefined,
    is: undefined,
    inDirectory: { refused: "a declaration has no “toolNotices”" },
    inService: { refused: "a declaration has no “toolNotices”" },
    besideIs: noBeside("toolNotices"),
  },
  withoutTools: {
    says: `() => ({ charter: ${own}, rules: async () => () => ({ guards: [] }) })`,
    seen: (one) => one.withoutTools?.().charter.name,
    is: "own",
    besideIs: noBeside("withoutTools"),
    ofTools: true,
  },
  hooks: { says: `[{ name: "mine" }]`, seen: (one) => one.hooks?.map(({ name }) => name), is: ["mine"] },
  fault: { says: `() => "wrong"`, seen: (one) => one.fault?.("a", "b"), is: "wrong", besideIs: noBeside("fault") },
  needs: {
    says: `["files", "notes"]`,
    beside: `["notes"]`,
    seen: (one) => one.needs?.includes("notes"),
    is: true,
    inDirectory: { refused: "it needs files, and then it is not told “notes”" },
    inService: { refused: "it needs files, and takes none" },
  },
  withFiles: {
    says: `(files) => ({ ...coder(files), charter: ${own} })`,
    seen: (one) => [one.charter.name, typeof one.withFiles],
    is: ["own", "function"],
    besideIs: noBeside("withFiles"),
  },
  memory: {
    says: JSON.stringify(place),
    seen: (one) => one.memory,
    is: place,
    inDirectory: { refused: "it needs files, and then it has no core memory" },
    besideIs: noBeside("memory"),
  },
  withMemory: {
    says: `() => ({ charter: ${own} })`,
    seen: (one) => one.withMemory?.({} as never).charter.name,
    is: "own",
    besideIs: noBeside("withMemory"),
  },
  served: {
    says: "true",
    seen: (one) => one.served,
    is: true,
    inDirectory: { refused: "it needs files, and then no service can take its turns" },
  },
  limits: { says: "{ steps: 3 }", seen: (one) => one.limits?.steps, is: 3 },
  window: { says: "8000", seen: (one) => one.window, is: 8000 },
  compactAt: { says: "77", seen: (one) => one.compactAt, is: 77 },
  edition: { says: `"compact"`, seen: (one) => one.edition, is: "compact" },
};

const at = (path: string) => new URL(`../../src/${path}`, import.meta.url).href;
const begins = `import { assistant, coder } from "${at("charters/index.ts")}";
import { defineTool } from "${at("agent/index.ts")}";
import { z } from "zod";
const own = defineTool({ name: "own", summary: "Mine", input: z.object({}), run: async () => "Done." });
`;
let files = 0;
function fileOf(words: string): string {
  const path = join(cwd, `charter-${++files}.ts`);
  writeFileSync(path, `${begins}${words}\n`);
  return path;
}

async function outcomeOf(door: Door, file: string, seen: Case["seen"]): Promise<unknown> {
  try {
    return await seen(await door(file));
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

const expected = (is: unknown) =>
  typeof is === "object" && is !== null && "refused" in is
    ? { refused: expect.stringContaining((is as Refused).refused) }
    : is;

const doors: readonly [name: string, charter: "coder" | "assistant", door: Door][] = [
  ["chat", "coder", chat],
  ["acp", "coder", acp],
  ["a look at the service", "coder", look],
  ["the service", "assistant", service],
  ["a model without tools", "assistant", plain],
];

describe.each(doors)("through %s", (name, charter, door) => {
  test.each(Object.entries(cases) as [keyof Declaration, Case][])("%s holds, or is refused", async (field, one) => {
    const { says, beside = says, seen, is, inDirectory, inService, besideIs, ofTools } = one;
    if (ofTools && name === "a model without tools") return;
    const whole = (charter === "coder" ? inDirectory : inService) ?? is;
    const needed = field === "withFiles" && charter === "assistant";
    const sees: Case["seen"] = needed ? (found) => ["own", typeof found.withFiles] : seen;
    const spread = fileOf(`export default { ...${charter}(), ${field}: ${says} };`);
    expect(await outcomeOf(door, spread, sees)).toEqual(expected(whole));
    const next = fileOf(`export default ${charter}();\nexport const ${field} = ${beside};`);
    const isBeside = besideIs ?? (field === "needs" && charter === "assistant" ? is : whole);
    expect(await outcomeOf(door, next, sees)).toEqual(expected(isBeside));
  });
});

test("one that is not served is not", async () => {
  const refused = { refused: expect.stringContaining("“dev” does not run on a server") };
  const [spread, beside] = ["export default { ...assistant(), served: false };", "export default assistant();"];
  expect(await outcomeOf(service, fileOf(spread), () => "served")).toEqual(refused);
  expect(await outcomeOf(service, fileOf(`${beside}\nexport const served = false;`), () => "served")).toEqual(refused);
});

test.each([
  ["beside coder()", "export default coder();\nexport const hooks = [guard];"],
  ["spread over it", "export default { ...coder(), hooks: [guard] };"],
])("a hook that refuses bash, %s, is asked in chat: nothing runs", async (_, words) => {
  const guard = `const guard = { name: "no-bash", "before-tool": ({ tool }) => (tool === "bash" ? { refuse: "No commands." } : undefined) };`;
  const made = join(cwd, "made.txt");
  const model = scripted([calls(["bash", { command: `touch ${made}` }]), "Done."]);
  const talk = await talkIn(fileOf(`${guard}\n${words}`), model);
  const told: string[] = [];
  await talk.runTurn("Make it.", {
    signal: new AbortController().signal,
    on: (event) => {
      told.push(JSON.stringify(event));
    },
  });
  expect(told.join("\n")).toContain("No commands.");
  expect(existsSync(made)).toBe(false);
});
