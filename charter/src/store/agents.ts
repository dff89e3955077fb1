import { checkOptions, type FieldChecks, isObject, isText, optional } from "../prompt/argument.ts";
import { allSections, type Charter, charterData, defineCharter } from "../prompt/charter.ts";
import { listed, Problem } from "../prompt/problem.ts";
import { type NewEvent, recordEvent } from "./event.ts";
import type { Database, Home } from "./home/database.ts";
import { findRecord, findRecords, insertInto, keepReadings, lockNamed, putInto, recordOf } from "./home/query.ts";
import { type Query, raw, sql } from "./home/sql.ts";
import { data, json, name, oneOf, type RecordOf, type RowOf, table, text, time } from "./home/table.ts";
import { checkAgentLabel, checkAgentName, checkName } from "./scope.ts";

/** An agent in the store: its charter by name or file, its model, and the operator's settings for the charter. */
export type AgentRecord = RecordOf<typeof agents>;

/** An agent to be added or changed. */
export type NewAgent = {
  readonly name: string;
  /** By its name or file; or itself, which is kept as data with the agent, under its own name. */
  readonly charter: string | CharterToKeep;
  readonly model?: string | null;
  /** The models that are asked, in this order, where the first cannot answer. Unless given: those it has, if its model stays. */
  readonly fallbacks?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What people call it. One that is there keeps its own, unless another is given; null is none. */
  readonly label?: string | null;
};

/** What becomes of an agent as it is now. It may be asked more than once. */
export type AgentUpdate = (before: AgentRecord) => Promise<Omit<NewAgent, "name">>;

/** `store.agents`: the agents there are. */
export type Agents = {
  /** Those there are, by name; with `removed`, those that were removed as well. */
  readonly list: (about?: { readonly removed?: boolean }) => Promise<AgentRecord[]>;
  /** The agent; an unknown name is a Problem that lists those there are. */
  readonly get: (name: string) => Promise<AgentRecord>;
  readonly find: (name: string) => Promise<AgentRecord | undefined>;
  /** The charter that was kept with it, if it was given itself. */
  readonly charterOf: (name: string) => Promise<CharterRecord | undefined>;
  /** Adds an agent. A Problem if there is or was one of that name, or the name is not allowed. */
  readonly add: (agent: NewAgent) => Promise<AgentRecord>;
  /** Adds an agent, or changes its settings. */
  readonly put: (agent: NewAgent) => Promise<AgentRecord>;
  /**
   * Changes an agent by what it is now: whoever changes it meanwhile loses nothing, for then `change` is asked again, with
   * what they made of it.
   */
  readonly update: (name: string, change: AgentUpdate) => Promise<AgentRecord>;
  readonly freeze: (name: string, what: "amendments" | "agent") => Promise<AgentRecord>;
  readonly thaw: (name: string) => Promise<AgentRecord>;
};

/** Also one that was removed. */
export function findAgent(db: Database, name: string): Promise<AgentRecord | undefined> {
  return findRecord(db, agents, sql`select * from agents where name = ${name}`);
}

export function unknownAgent(name: string, names: readonly string[] = []): Problem {
  const hint = names.length > 0 ? `The agents are ${listed(names)}.` : "See them with `charter agents`.";
  return new Problem("unknown-agent", `There is no agent “${name}”.`, hint);
}

/** The agent a row is about to be written for: what has no agent is nobody's. */
export async function requireAgent(db: Database, name: string): Promise<AgentRecord> {
  const agent = await findAgent(db, name);
  if (!agent) throw unknownAgent(name);
  return notRemoved(agent);
}

function notRemoved(agent: AgentRecord): AgentRecord {
  const { name, removedAt } = agent;
  if (removedAt === undefined) return agent;
  throw new Problem(
    "agent-removed",
    `The agent “${name}” was removed on ${removedAt.slice(0, 10)} at ${removedAt.slice(11, 16)} UTC. Its name stays with its records.`,
    "Choose another name, or bring it back from its file: `charter checkpoint restore <file> --replace`.",
  );
}

const brake = (name: string) => ["frozen", name];

/** Whoever stops an agent waits until what holds this is done or undone. */
export function lockWork(db: Database, name: string): Promise<void> {
  return lockNamed(db, brake(name), "shared");
}

/** Alone with an agent: whatever holds its work lock is done, and nothing begins until this transaction ends. */
export function lockAgentAlone(db: Database, name: string): Promise<void> {
  return lockNamed(db, brake(name));
}

/** The same for what a frozen agent may not do. */
export async function lockAgent(db: Database, name: string): Promise<AgentRecord> {
  await lockWork(db, name);
  return requireAgent(db, name);
}

/** Just that, where it takes turns; `besides`: columns of what else has to be known, in the same look. */
export async function lockWorkingAgent<Besides>(db: Database, name: string, besides: Query): Promise<Besides> {
  await lockWork(db, name);
  const row = await db.one<RowOf<typeof agents> & Besides>(
    sql`select agents.*, ${besides} from agents where name = ${name}`,
  );
  if (!row) throw unknownAgent(name);
  if (notRemoved(recordOf(agents, row)).frozen === "agent") throw agentFrozen(name);
  return row;
}

export function agentFrozen(name: string): Problem {
  return new Problem("agent-frozen", `“${name}” is frozen.`, `Undo it with \`charter thaw ${name}\`.`);
}

const newAgentChecks: FieldChecks<NewAgent> = {
  name: [() => true, "Give its name."],
  charter: [isNameOrCharter, "Give its charter, the name of one, or the path of a file that exports one."],
  model: [
    (value) => value === undefined || value === null || isText(value),
    "Give a model's name, as in provider/model.",
  ],
  fallbacks: optional([areFallbacks, "Give a list of models' names, each another."]),
  settings: optional([isObject, "Give the settings of its charter by name."]),
  label: [() => true, "Give one line."],
};

/** What an agent is to be. A whole record may be given: what the store keeps itself is left out. */
function checkedAgent(by: string, given: Omit<NewAgent, "name">, name?: string): NewAgent {
  if (!isObject(given)) checkOptions(by, given, newAgentChecks);
  const { frozen, createdAt, updatedAt, removedAt, ...agent } = given as NewAgent & Partial<AgentRecord>;
  const named = name === undefined ? agent : { ...agent, name };
  checkOptions(by, named, newAgentChecks);
  return named;
}

/** Names of models, each another. */
function areFallbacks(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((name) => isText(name) && name.trim() !== "") && new Set(value).size === value.length;
}

/** The models behind the first. Where none are named, an agent that keeps its model keeps them. */
function fallbacksOf({ name, model = null, fallbacks }: NewAgent, before?: AgentRecord): readonly string[] | undefined {
  const list = fallbacks ?? (before?.model === model ? before.fallbacks : []) ?? [];
  if (list.length === 0) return undefined;
  if (model !== null && !list.includes(model)) return list;
  throw new Problem(
    "bad-model",
    model === null
      ? `“${name}” was given models to fall back to, and no first one.`
      : `“${name}” was given the model “${model}” twice.`,
    "Name each model once: first the one that is to be asked first.",
  );
}

export function createAgents(home: Home, now: () => string): Agents {
  const list: Agents["list"] = ({ removed = false } = {}) =>
    home.read("everything", (db) => {
      const wanted = raw(removed ? "" : "where removed_at is null");
      return findRecords(db, agents, sql`select * from agents ${wanted} order by name`);
    });
  const find = async (name: string) => {
    if (typeof name !== "string") checkName("agent", name);
    const agent = await home.read("everything", (db) => findAgent(db, name));
    return agent?.removedAt === undefined ? agent : undefined;
  };
  const mark = (name: string, frozen: AgentRecord["frozen"]) =>
    home.write("everything", async (db) => {
      const at = now();
      await lockAgentAlone(db, name);
      await db.run(sql`update agents set frozen = ${frozen}, updated_at = ${at} where name = ${name}`);
      const agent = await requireAgent(db, name);
      const kind = frozen === null ? "agent-thawed" : "agent-frozen";
      await recordEvent(db, at, { scope: { agent: name }, kind, detail: frozen === null ? {} : { what: frozen } });
      return agent;
    });
  const insert = (by: string, agent: NewAgent, otherwise: Query, whenThere = () => {}) =>
    home.write("everything", async (db) => {
      const { name, charter, model = null, settings = {}, label } = checkedAgent(by, agent);
      checkName("agent", name);
      checkAgentLabel(label);
      const before = await findAgent(db, name);
      if (before) notRemoved(before);
      else checkAgentName(name);
      const at = now();
      const others = fallbacksOf(agent, before);
      const { charter: called, keep } = charterGiven(charter);
      const facts = { name, charter: called, model, fallbacks: others, settings, label, createdAt: at, updatedAt: at };
      const added = await db.run(sql`${insertInto(agents, facts)} on conflict (name) ${otherwise}`);
      if (added === 0) whenThere();
      await keep(db, name, at);
      return recordSet(db, at, name, { charter: called, model, fallbacks: others });
    });
  const getRow = async (name: string): Promise<RowOf<typeof agents>> => {
    if (typeof name !== "string") checkName("agent", name);
    const row = await home.read("everything", (db) =>
      db.one<RowOf<typeof agents>>(sql`select * from agents where name = ${name}`),
    );
    const names = row ? [] : (await list()).map((one) => one.name);
    if (!row) throw unknownAgent(name, names);
    notRemoved(recordOf(agents, row));
    return row;
  };
  const keptRow = keepReadings<RowOf<typeof agents>>(home, [agents]);
  const update: Agents["update"] = async (name, change) => {
    for (;;) {
      const before = await getRow(name);
      const agent = recordOf(agents, before);
      const changed = await change(agent);
      const { charter, model = null, settings = {}, label } = checkedAgent("store.agents.update", changed, name);
      const others = fallbacksOf({ name, ...changed }, agent);
      checkAgentLabel(label);
      const { charter: called, keep } = charterGiven(charter);
      const updated = await home.write("everything", async (db) => {
        const at = now();
        const same = await db.run(sql`update agents set charter = ${called}, model = ${model},
          fallbacks = ${others ? JSON.stringify(others) : null}, settings = ${JSON.stringify(settings)},
          label = ${label === undefined ? before.label : label}, updated_at = ${at}
          where name = ${name} and removed_at is null and charter = ${before.charter} and settings = ${before.settings}
          and model is not distinct from ${before.model} and fallbacks is not distinct from ${before.fallbacks}
          and label is not distinct from ${before.label}`);
        if (same === 0) return undefined;
        await keep(db, name, at);
        return recordSet(db, at, name, { charter: called, model, fallbacks: others });
      });
      if (updated) return updated;
    }
  };
  return {
    list,
    find,
    get: async (name) => recordOf(agents, await keptRow(name, () => getRow(name))),
    charterOf: (name) => home.read("everything", (db) => findCharter(db, name)),
    update,
    add: (agent) =>
      insert("store.agents.add", agent, raw("do nothing"), () => {
        const hint = `Change it with \`charter agents set ${agent.name}\`, or choose another name.`;
        throw new Problem("agent-exists", `There is an agent “${agent.name}” already.`, hint);
      }),
    put: (agent) =>
      insert(
        "store.agents.put",
        agent,
        sql`do update set charter = excluded.charter, model = excluded.model, fallbacks = excluded.fallbacks, settings = excluded.settings,
          updated_at = excluded.updated_at${agent?.label === undefined ? raw("") : raw(", label = excluded.label")}`,
      ),
    freeze: (name, what) => mark(name, what),
    thaw: (name) => mark(name, null),
  };
}

/** It is on record that an agent was set up; as it is now. */
async function recordSet(db: Database, at: string, name: string, detail: NewEvent["detail"]): Promise<AgentRecord> {
  await recordEvent(db, at, { scope: { agent: name }, kind: "agent-set", detail });
  return (await findAgent(db, name)) as AgentRecord;
}

/** What an agent calls its charter, and how that is kept with it, where it is no mere name. */
export function charterGiven(given: string | CharterToKeep) {
  if (typeof given === "string") return { charter: given, keep: async () => {} };
  const declared = charterRecordOf(given);
  const { name } = declared.charter;
  const keep = (db: Database, agent: string, at: string) => db.run(putInto(charters, { agent, name, declared, at }));
  return { charter: name, keep };
}

/** The charter that is kept with an agent, if that is still the one it has. */
export async function findCharter(db: Database, agent: string): Promise<CharterRecord | undefined> {
  const kept = sql`select c.* from charters c join agents a on a.name = c.agent and a.charter = c.name
    where c.agent = ${agent}`;
  return (await findRecord(db, charters, kept))?.declared;
}

export function isNameOrCharter(value: unknown): boolean {
  return isText(value) || isObject(value);
}

/** A charter, or one with what is declared beside it: rules, tools, limits. */
export type CharterToKeep = Charter | { readonly charter: Charter };

/** A charter as data, with what of it is not: functions stay in the program that declares them. */
export type CharterRecord = {
  readonly charter: Charter;
  /** What else is declared and is data, such as limits. */
  readonly says: Readonly<Record<string, unknown>>;
  /** What else is declared and has functions in it: rules, tools, hooks. */
  readonly functions: readonly string[];
  /** What of a section is made by functions, by its name: sources, read. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
};

/** A charter as it is kept: its words, layers, mutability and limits, and the names of what cannot be kept. */
export function charterRecordOf(given: CharterToKeep): CharterRecord {
  const { charter: declared, ...beside } = "charter" in given ? given : { charter: given };
  const charter = defineCharter(declared);
  const sections = allSections(charter).flatMap(({ section }) => {
    const made = functionsIn(section);
    return made.length === 0 ? [] : [[section.name, made] as const];
  });
  const functions = functionsIn(beside);
  const says = Object.entries(beside).filter(([name, value]) => value !== undefined && !functions.includes(name));
  return {
    charter: charterData(charter),
    says: Object.fromEntries(says),
    functions,
    sections: Object.fromEntries(sections),
  };
}

function functionsIn(declared: object): string[] {
  return Object.entries(declared).flatMap(([name, value]) => (hasFunction(value) ? [name] : []));
}

function hasFunction(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "function";
  return Object.values(value).some(hasFunction);
}

export const agents = table(
  "agents",
  {
    of: "store",
    key: ["name"],
    owner: { agent: "name" },
    isMarked: true,
    fence: { see: "name = {agent}" },
    erase: { blank: { unless: "settings = '{}' and label is null" } },
    exported: false,
  },
  {
    name: name(),
    charter: name(),
    model: name().nullable(),
    settings: json<Readonly<Record<string, unknown>>>(),
    /** What the operator has stopped: amendments, or the agent. */
    frozen: oneOf("amendments", "agent").nullable(),
    createdAt: time(),
    updatedAt: time(),
    /** What people call it; its name, unless given. It stands in no prompt, digest or address. */
    label: text().optional(),
    /** When it was removed: it takes no turns, and its name stays its own. */
    removedAt: time().optional(),
    /** The models that are asked, in this order, where the first cannot answer. */
    fallbacks: data<readonly string[]>().optional(),
  },
);

/** Charters that were given themselves and not by a name, as data: an agent's stays when its program is gone. */
export const charters = table(
  "charters",
  { of: "agent", key: ["agent"] },
  {
    /** What the agent calls it: one that it has no more counts for nothing. */
    name: name(),
    declared: json<CharterRecord>(),
    at: time(),
  },
);
