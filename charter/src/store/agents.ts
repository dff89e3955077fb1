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
  /** A charter's name or file; or a charter itself, which is stored as data with the agent, under its own name. */
  readonly charter: string | CharterToKeep;
  readonly model?: string | null;
  /** Models to ask, in this order, when the first cannot answer. By default an agent keeps its fallbacks if its model stays. */
  readonly fallbacks?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Name that people call it by. An existing agent keeps its label unless another is given; null removes it. */
  readonly label?: string | null;
};

/** Returns the new settings of an agent from its present ones. It may be called more than once. */
export type AgentUpdate = (before: AgentRecord) => Promise<Omit<NewAgent, "name">>;

/** `store.agents`: the agents of a store. */
export type Agents = {
  /** Lists agents by name; with `removed`, also those that were removed. */
  readonly list: (about?: { readonly removed?: boolean }) => Promise<AgentRecord[]>;
  /** Returns the agent; for an unknown name it throws a Problem that lists the agents there are. */
  readonly get: (name: string) => Promise<AgentRecord>;
  readonly find: (name: string) => Promise<AgentRecord | undefined>;
  /** Returns the charter that is stored with the agent, if it was given one as data. */
  readonly charterOf: (name: string) => Promise<CharterRecord | undefined>;
  /** Adds an agent. Throws a Problem if that name is or was in use, or is not allowed. */
  readonly add: (agent: NewAgent) => Promise<AgentRecord>;
  /** Adds an agent, or changes its settings. */
  readonly put: (agent: NewAgent) => Promise<AgentRecord>;
  /**
   * Changes an agent according to its present settings. No concurrent change is lost: `change` is then called again with the
   * newer settings.
   */
  readonly update: (name: string, change: AgentUpdate) => Promise<AgentRecord>;
  readonly freeze: (name: string, what: "amendments" | "agent") => Promise<AgentRecord>;
  readonly thaw: (name: string) => Promise<AgentRecord>;
};

/** Finds an agent, also a removed one. */
export function findAgent(db: Database, name: string): Promise<AgentRecord | undefined> {
  return findRecord(db, agents, sql`select * from agents where name = ${name}`);
}

export function unknownAgent(name: string, names: readonly string[] = []): Problem {
  const hint = names.length > 0 ? `The agents are ${listed(names)}.` : "See them with `charter agents`.";
  return new Problem("unknown-agent", `There is no agent “${name}”.`, hint);
}

/** Returns the agent a row is about to be written for, or throws: no row is written for an agent that does not exist. */
export async function requireAgent(db: Database, name: string): Promise<AgentRecord> {
  const agent = await findAgent(db, name);
  if (!agent) throw unknownAgent(name);
  return notRemoved(agent);
}

function notRemoved<Agent extends Pick<AgentRecord, "name" | "removedAt">>(agent: Agent): Agent {
  const { name, removedAt } = agent;
  if (removedAt === undefined) return agent;
  throw new Problem(
    "agent-removed",
    `The agent “${name}” was removed on ${removedAt.slice(0, 10)} at ${removedAt.slice(11, 16)} UTC. Its name stays with its records.`,
    "Choose another name, or bring it back from its file: `charter checkpoint restore <file> --replace`.",
  );
}

const brake = (name: string) => ["frozen", name];

/** Takes a shared lock on an agent: freezing the agent waits until the holders have committed or rolled back. */
export function lockWork(db: Database, name: string): Promise<void> {
  return lockNamed(db, brake(name), "shared");
}

/** Takes an exclusive lock on an agent: all work on it has ended, and none begins until this transaction ends. */
export function lockAgentAlone(db: Database, name: string): Promise<void> {
  return lockNamed(db, brake(name));
}

/** Takes the shared lock, for work that a frozen agent may not do, and returns the agent. */
export async function lockAgent(db: Database, name: string): Promise<AgentRecord> {
  lockWork(db, name);
  return requireAgent(db, name);
}

/** Takes the shared lock for a turn, and refuses a frozen agent; `besides` adds columns to the same query. */
export async function lockWorkingAgent<Besides>(db: Database, name: string, besides: Query): Promise<Besides> {
  lockWork(db, name);
  type Working = Pick<RowOf<typeof agents>, "frozen" | "removed_at">;
  const row = await db.one<Working & Besides>(
    sql`select frozen, removed_at, ${besides} from agents where name = ${name}`,
  );
  if (!row) throw unknownAgent(name);
  notRemoved({ name, ...(row.removed_at === null ? {} : { removedAt: row.removed_at }) });
  if (row.frozen === "agent") throw agentFrozen(name);
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

/** Checks the settings of an agent. A whole record may be given: the fields that the store sets itself are dropped. */
function checkedAgent(by: string, given: Omit<NewAgent, "name">, name?: string): NewAgent {
  if (!isObject(given)) checkOptions(by, given, newAgentChecks);
  const { frozen, createdAt, updatedAt, removedAt, ...agent } = given as NewAgent & Partial<AgentRecord>;
  const settings = name === undefined ? agent : { ...agent, name };
  checkOptions(by, settings, newAgentChecks);
  return settings;
}

/** Accepts a list of model names without duplicates. */
function areFallbacks(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((name) => isText(name) && name.trim() !== "") && new Set(value).size === value.length;
}

/** Returns the models after the first one. If none are given, an agent that keeps its model keeps its fallbacks. */
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
      recordEvent(db, at, { scope: { agent: name }, kind, detail: frozen === null ? {} : { what: frozen } });
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
        const updatedRows = await db.run(sql`update agents set charter = ${called}, model = ${model},
          fallbacks = ${others ? JSON.stringify(others) : null}, settings = ${JSON.stringify(settings)},
          label = ${label === undefined ? before.label : label}, updated_at = ${at}
          where name = ${name} and removed_at is null and charter = ${before.charter} and settings = ${before.settings}
          and model is not distinct from ${before.model} and fallbacks is not distinct from ${before.fallbacks}
          and label is not distinct from ${before.label}`);
        if (updatedRows === 0) return undefined;
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

/** Records that an agent was set up or changed, and returns it as it is now. */
async function recordSet(db: Database, at: string, name: string, detail: NewEvent["detail"]): Promise<AgentRecord> {
  recordEvent(db, at, { scope: { agent: name }, kind: "agent-set", detail });
  return (await findAgent(db, name)) as AgentRecord;
}

/** Returns the name by which an agent refers to its charter, and a function that stores a charter given as data. */
function charterGiven(given: string | CharterToKeep) {
  if (typeof given === "string") return { charter: given, keep: async () => {} };
  const declared = charterRecordOf(given);
  const { name } = declared.charter;
  const keep = (db: Database, agent: string, at: string) => db.run(putInto(charters, { agent, name, declared, at }));
  return { charter: name, keep };
}

/** Finds the charter that is stored with an agent, if the agent still uses it. */
async function findCharter(db: Database, agent: string): Promise<CharterRecord | undefined> {
  const kept = sql`select c.* from charters c join agents a on a.name = c.agent and a.charter = c.name
    where c.agent = ${agent}`;
  return (await findRecord(db, charters, kept))?.declared;
}

function isNameOrCharter(value: unknown): boolean {
  return isText(value) || isObject(value);
}

/** A charter, or a charter with what is declared beside it: rules, tools, limits. */
export type CharterToKeep = Charter | { readonly charter: Charter };

/** A charter as data, and the names of what is not data: functions stay in the program that declares them. */
export type CharterRecord = {
  readonly charter: Charter;
  /** Additional declared data, such as limits. */
  readonly says: Readonly<Record<string, unknown>>;
  /** Names of declared things that contain functions: rules, tools, hooks. */
  readonly functions: readonly string[];
  /** Fields of each section, by its name, that are functions: sources, read. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
};

/** Returns a charter as it is stored: its text, layers, mutability and limits, and the names of what cannot be stored. */
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
    /** Freeze by the operator: of the amendments, or of the whole agent. */
    frozen: oneOf("amendments", "agent").nullable(),
    createdAt: time(),
    updatedAt: time(),
    /** Name that people call it by; its `name`, unless given. It is in no prompt, digest or address. */
    label: text().optional(),
    /** Time of its removal: it takes no turns, and no other agent gets its name. */
    removedAt: time().optional(),
    /** Models to ask, in this order, when the first cannot answer. */
    fallbacks: data<readonly string[]>().optional(),
  },
);

/** Charters that were given as data and not by name: the agent keeps its charter when the program that declared it is gone. */
export const charters = table(
  "charters",
  { of: "agent", key: ["agent"] },
  {
    /** Name by which the agent refers to it; a row with any other name is out of use. */
    name: name(),
    declared: json<CharterRecord>(),
    at: time(),
  },
);
