import type { MemoryPlace } from "../../../agent/declaration.ts";
import { factsOf } from "../../../charters/facts.ts";
import { splitModelName } from "../../../delivery/providers.ts";
import { type CharterTraits, loadCharter, traitsOf } from "../../../host/load.ts";
import { checkAgentSettings, checkSettings } from "../../../host/settings.ts";
import { Problem } from "../../../prompt/problem.ts";
import { readJson } from "../../../sources/input-file.ts";
import { checkAgentName } from "../../../store/agent-name.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import { pageOf } from "../../../store/home/page.ts";
import type { Store } from "../../../store/store.ts";
import { columns, oneLine, pairs, timeText } from "../../print/columns.ts";
import type { NewKey } from "../../shared/key-file.ts";
import { memoryOptions, withMemory } from "../../shared/memory-options.ts";
import { noMoreWords, parseOptions, requiredOption } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { checkCharterFile, untrustedCharter } from "../../shared/trusted-database.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  charter: { type: "string", short: "c" },
  model: { type: "string" },
  settings: { type: "string" },
  ...memoryOptions,
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

const setUp = ["charter", "model", "settings", "relay", "owner", "key", "new-key"] as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("agents", args, options);
  const [verb = "list", name, ...others] = positionals;
  if (verb === "list") {
    noMoreWords("agents", positionals.slice(1));
    notAsked(verb, values);
    return list(values);
  }
  if (!["add", "create", "set", "show"].includes(verb))
    throw new Problem("usage", `charter agents does not understand “${verb}”.`, "Say list, add, set or show.");
  if (name === undefined)
    throw new Problem("usage", `charter agents ${verb} needs a name.`, "See charter agents --help.");
  noMoreWords("agents", others);
  if (verb === "add" || verb === "create") return add(name, values);
  if (verb === "set") return set(name, values);
  notAsked(verb, values);
  return show(name, values);
}

function notAsked(verb: string, values: Values): void {
  const extra = setUp.find((option) => values[option] !== undefined);
  if (extra === undefined) return;
  throw new Problem("usage", `charter agents ${verb} does not take --${extra}.`, "Say charter agents add or set.");
}

async function list(values: Values): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const all = await store.agents.list();
    const { rows, more } = await readPage(async (asked) => {
      const { limit, offset } = pageOf(asked);
      return all.slice(offset, offset + limit);
    }, page);
    const agents: (AgentRecord & { amended: number })[] = [];
    for (const agent of rows)
      agents.push({ ...agent, amended: (await store.history.sections({ agent: agent.name })).length });
    const whole = async () => Promise.all(agents.map(async (one) => ({ ...one, ...(await traitsIn(store, one)) })));
    if (values.json) process.stdout.write(`${JSON.stringify({ agents: await whole(), more })}\n`);
    else if (rows.length === 0)
      process.stdout.write("There is no agent here. Add one: charter agents add ada --charter assistant\n");
    else {
      const cells = agents.map((agent) => [
        agent.name,
        agent.charter,
        agent.model ?? "–",
        agent.frozen ?? "–",
        String(agent.amended),
      ]);
      const names = ["agent", "charter", "model", "frozen", "amended sections"];
      process.stdout.write(`${[...columns(names, cells, process.stdout), ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

/** Everything is looked at before a database is made: what cannot be used is not added. */
async function add(name: string, values: Values): Promise<number> {
  const charter = requiredOption("agents add", "charter", values.charter);
  checkAgentName(name);
  const given = await withMemory({ name, charter, settings: settingsOf(values) ?? {} }, values);
  const settings = await checked(name, charter, given);
  return withStore(
    values,
    async (store) => {
      const { made: agent, key } = await withKey(values, () =>
        store.agents.add({ name, charter, model: values.model || null, settings }),
      );
      const told = `“${name}” was added to ${store.home.place}. See its prompt: charter show --agent ${name}`;
      return tell(store, agent, values, told, key);
    },
    { create: true },
  );
}

/** A key pair is made where one was asked for, and is gone again where the agent could not be set up. */
async function withKey<Made>(values: Values, make: () => Promise<Made>): Promise<{ made: Made; key?: NewKey }> {
  const file = values["new-key"];
  if (file === undefined) return { made: await make() };
  const key = await (await import("../../shared/key-file.ts")).makeKeyFile(file);
  try {
    return { made: await make(), key };
  } catch (error) {
    key.remove();
    throw error;
  }
}

async function set(name: string, values: Values): Promise<number> {
  if (setUp.every((option) => values[option] === undefined))
    throw new Problem("usage", "Nothing was given to set.", "Give --charter, --model, --settings or --relay.");
  const given = settingsOf(values);
  return withStore(values, async (store) => {
    const before = await store.agents.get(name);
    const charter = values.charter ?? before.charter;
    // What is named now is theirs who names it; what a database says may have come with it.
    if (values.charter === undefined) await checkCharterFile(store, before);
    const whole = await withMemory({ name, charter, settings: given ?? before.settings }, values);
    const settings = await checked(name, charter, whole);
    const model = values.model === undefined ? before.model : values.model || null;
    const { made: agent, key } = await withKey(values, () => store.agents.put({ name, charter, model, settings }));
    return tell(store, agent, values, `“${name}” was set up anew; its next prompt is made so.`, key);
  });
}

async function show(name: string, values: Values): Promise<number> {
  return withStore(values, async (store) => {
    const agent = await store.agents.get(name);
    const sections = await store.history.sections({ agent: name });
    if (values.json)
      process.stdout.write(`${JSON.stringify({ ...agent, ...(await traitsIn(store, agent)), sections })}\n`);
    else {
      const amended = sections.map(({ section, revision }) => `${section} (revision ${revision})`).join(", ");
      const rows: [string, string][] = [
        ["agent", agent.name],
        ["charter", agent.charter],
        ["model", agent.model ?? "–"],
        ["frozen", agent.frozen ?? "–"],
        ["added", `${timeText(agent.createdAt)} UTC`],
        ["changed", `${timeText(agent.updatedAt)} UTC`],
        ["amended", amended || "–"],
        ["settings", JSON.stringify(agent.settings)],
      ];
      process.stdout.write(`${pairs(rows, process.stdout).join("\n")}\n`);
    }
    return 0;
  });
}

function settingsOf({ settings }: Values): Readonly<Record<string, unknown>> | undefined {
  return settings === undefined ? undefined : checkSettings(readJson(settings, "settings file"));
}

/** Settings the charter understands; what it will not read is told. */
async function checked(name: string, charter: string, settings: Readonly<Record<string, unknown>>) {
  for (const { code, message } of await checkAgentSettings({ name, charter, settings }, () => new Date()))
    process.stderr.write(`notice: ${code}: ${message}\n`);
  return settings;
}

async function tell(store: Store, agent: AgentRecord, values: Values, told: string, key?: NewKey): Promise<number> {
  const made = key && { npub: key.npub, keyFile: key.file };
  if (values.json)
    process.stdout.write(`${JSON.stringify({ ...agent, ...(await traitsIn(store, agent)), ...made })}\n`);
  else process.stdout.write(`${[told, ...keyLines(agent, values, key), ...(await acpLines(values))].join("\n")}\n`);
  const problem = await untrustedCharter(store, agent);
  if (problem)
    process.stderr.write(
      `notice: ${problem.code}: ${oneLine(`${problem.message} Until then it takes no turns. ${problem.hint}`)}\n`,
    );
  return 0;
}

/** What is left to do before its core memory can be read. */
function keyLines({ settings }: AgentRecord, values: Values, key: NewKey | undefined): string[] {
  if (key === undefined && values.key === undefined) return [];
  const { key: name } = settings.memory as MemoryPlace;
  const file = JSON.stringify(key?.file ?? `${name}.key`);
  return [
    ...(key ? [`Its key is in ${key.file}: keep a copy, nobody else has one. Its public key is ${key.npub}`] : []),
    `Say where the key is, in charter.config.ts: keys: { ${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: { file: ${file} } }`,
    "Then let commands run that file: charter trust",
  ];
}

/** What is left to do before an agent over ACP can be asked. */
async function acpLines({ model = "" }: Values): Promise<string[]> {
  if (splitModelName(model).provider !== "acp") return [];
  const { acpHere } = await import("../../shared/config-keys.ts");
  try {
    const entries = (await acpHere()) ?? {};
    if (Object.hasOwn(entries, splitModelName(model).model)) return [];
    const { unknownAgent } = await import("../../../host/models/acp.ts");
    const { message, hint } = unknownAgent(model, Object.keys(entries));
    return [`${message} ${hint}`, "Then let commands run that file: charter trust"];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [`${error.message} ${error.hint}`];
  }
}

/** What its charter says of itself; nothing of one that cannot be loaded, or may not be. */
async function traitsIn(store: Store, agent: AgentRecord): Promise<Partial<CharterTraits>> {
  try {
    await checkCharterFile(store, agent);
    const { given } = await loadCharter(agent.charter);
    return traitsOf(await given(factsOf({ ...agent.settings, agent: agent.name }), () => new Date()));
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}
