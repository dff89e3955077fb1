import { checkOptions, type FieldChecks, isObject, isText, optional } from "../prompt/argument.ts";
import { listed, Problem } from "../prompt/problem.ts";
import { checkAgentName } from "./agent-name.ts";
import { recordEvent } from "./event.ts";
import type { Database, Home } from "./home/database.ts";
import { type Query, raw, sql } from "./home/sql.ts";
import { checkName } from "./scope.ts";

/** An agent in the store: its charter by name or file, its model, and the operator's settings for the charter. */
export type AgentRecord = {
  readonly name: string;
  readonly charter: string;
  readonly model: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  /** What the operator has stopped: amendments, or the agent. */
  readonly frozen: "amendments" | "agent" | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** An agent to be added or changed. */
export type NewAgent = {
  readonly name: string;
  readonly charter: string;
  readonly model?: string | null;
  readonly settings?: Readonly<Record<string, unknown>>;
};

/** `store.agents`: the agents there are. */
export type Agents = {
  readonly list: () => Promise<AgentRecord[]>;
  /** The agent; an unknown name is a Problem that lists those there are. */
  readonly get: (name: string) => Promise<AgentRecord>;
  readonly find: (name: string) => Promise<AgentRecord | undefined>;
  /** Adds an agent. A Problem if there is one of that name, or the name is not allowed. */
  readonly add: (agent: NewAgent) => Promise<AgentRecord>;
  /** Adds an agent, or changes its settings. */
  readonly put: (agent: NewAgent) => Promise<AgentRecord>;
  readonly freeze: (name: string, what: "amendments" | "agent") => Promise<AgentRecord>;
  readonly thaw: (name: string) => Promise<AgentRecord>;
};

type AgentRow = {
  name: string;
  charter: string;
  model: string | null;
  settings: string;
  frozen: AgentRecord["frozen"];
  created_at: string;
  updated_at: string;
};

function agentOf(row: AgentRow): AgentRecord {
  const { name, charter, model, frozen } = row;
  return {
    name,
    charter,
    model,
    settings: JSON.parse(row.settings),
    frozen,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function findAgent(db: Database, name: string): Promise<AgentRecord | undefined> {
  const row = await db.one<AgentRow>(sql`select * from agents where name = ${name}`);
  return row && agentOf(row);
}

export function unknownAgent(name: string, names: readonly string[] = []): Problem {
  const hint = names.length > 0 ? `The agents are ${listed(names)}.` : "See them with `charter agents`.";
  return new Problem("unknown-agent", `There is no agent “${name}”.`, hint);
}

/** The agent a row is about to be written for: what has no agent is nobody's. */
export async function requireAgent(db: Database, name: string): Promise<AgentRecord> {
  const agent = await findAgent(db, name);
  if (!agent) throw unknownAgent(name);
  return agent;
}

const brake = (name: string) => JSON.stringify(["frozen", name]);

/** Whoever stops an agent waits until what holds this is done or undone. */
export function workLock({ dialect }: Database, name: string): Query | undefined {
  return dialect.lock(brake(name), "shared");
}

/** Alone with an agent: whatever holds its work lock is done, and nothing begins until this transaction ends. */
export async function lockAgentAlone(db: Database, name: string): Promise<void> {
  const lock = db.dialect.lock(brake(name));
  if (lock) await db.all(lock);
}

/** The same for what a frozen agent may not do. */
export async function lockAgent(db: Database, name: string): Promise<AgentRecord> {
  const lock = workLock(db, name);
  if (lock) await db.all(lock);
  return requireAgent(db, name);
}

export function agentFrozen(name: string): Problem {
  return new Problem("agent-frozen", `“${name}” is frozen.`, `Let it go on with \`charter thaw ${name}\`.`);
}

const newAgentChecks: FieldChecks<NewAgent> = {
  name: [() => true, "Give its name."],
  charter: [isText, "Give the name of its charter, or the path of a file that exports one."],
  model: [
    (value) => value === undefined || value === null || isText(value),
    "Give a model's name, as in provider/model.",
  ],
  settings: optional([isObject, "Give the settings of its charter by name."]),
};

export function createAgents(home: Home, now: () => string): Agents {
  const list = () =>
    home.read("everything", async (db) =>
      (await db.all<AgentRow>(sql`select * from agents order by name`)).map(agentOf),
    );
  const find = async (name: string) => {
    if (typeof name !== "string") checkName("agent", name);
    return home.read("everything", (db) => findAgent(db, name));
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
  const insert = (agent: NewAgent, otherwise: Query, whenThere = () => {}) =>
    home.write("everything", async (db) => {
      const { name, charter, model = null, settings = {} } = Object(agent) as NewAgent;
      // A whole record may be given, and more.
      checkOptions("store.agents.add", isObject(agent) ? { name, charter, model, settings } : agent, newAgentChecks);
      checkName("agent", name);
      if (!(await findAgent(db, name))) checkAgentName(name);
      const at = now();
      const added = await db.run(sql`insert into agents (name, charter, model, settings, frozen, created_at, updated_at)
        values (${name}, ${charter}, ${model}, ${JSON.stringify(settings)}, ${null}, ${at}, ${at})
        on conflict (name) ${otherwise}`);
      if (added === 0) whenThere();
      await recordEvent(db, at, { scope: { agent: name }, kind: "agent-set", detail: { charter, model } });
      return (await findAgent(db, name)) as AgentRecord;
    });
  return {
    list,
    find,
    get: async (name) => {
      const agent = await find(name);
      if (agent) return agent;
      throw unknownAgent(
        name,
        (await list()).map((one) => one.name),
      );
    },
    add: (agent) =>
      insert(agent, raw("do nothing"), () => {
        const hint = `Change it with \`charter agents set ${agent.name}\`, or choose another name.`;
        throw new Problem("agent-exists", `There is an agent “${agent.name}” already.`, hint);
      }),
    put: (agent) =>
      insert(
        agent,
        sql`do update set charter = excluded.charter, model = excluded.model, settings = excluded.settings,
          updated_at = excluded.updated_at`,
      ),
    freeze: (name, what) => mark(name, what),
    thaw: (name) => mark(name, null),
  };
}
