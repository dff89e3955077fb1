import { rethrowUnlessProblem } from "../../prompt/problem.ts";
import { type AmendmentRow, amendmentEntryOf } from "../amendments/amendments.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { matching } from "../home/query.ts";
import { joinQueries, type Row, raw, sql, type Value } from "../home/sql.ts";
import { ownerColumns, type Table, type TableColumn } from "../home/table.ts";
import { checkAllKnown } from "../schema.ts";
import type { UserSelector } from "../scope.ts";
import type { Texts } from "../texts/text.ts";
import { replayStep, type StepRow } from "../turns/steps.ts";
import { checkWho } from "./erase.ts";

/** Rows in readable form: JSON is parsed, and names are written as everywhere else in Charter's JSON. */
type Plain = Readonly<Record<string, unknown>>;

/** All data about one user, as JSON. */
export type UserExport = {
  readonly user: string;
  readonly exportedAt: string;
  readonly zone: string | null;
  readonly tokens: readonly Plain[];
  readonly agents: readonly AgentExport[];
};

export type AgentExport = {
  readonly agent: string;
  /** Current text of this user's sections, each with its history, oldest first. */
  readonly standing: readonly Plain[];
  readonly held: readonly Plain[];
  /** Tool calls that had to wait for a person. */
  readonly calls: readonly Plain[];
  readonly memories: readonly Plain[];
  readonly conversation: readonly Plain[];
  readonly messages: readonly Plain[];
  readonly replies: readonly Plain[];
  /** Places of messages on a blockchain, and the transactions of replies to them. */
  readonly chainMessages: readonly Plain[];
  readonly chainReplies: readonly Plain[];
  /** Turns with the prompts that were sent, slot by slot. */
  readonly turns: readonly Plain[];
  /** Tools that were offered with them, each list once, by the digest its steps name. */
  readonly tools: readonly Plain[];
  /** Bytes of the pictures and files that came with turns, as base64, each once by the digest its turns name. */
  readonly attachments: readonly Plain[];
  readonly sessions: readonly Plain[];
  readonly schedules: readonly Plain[];
  /** Runs: each time a schedule was due, and what happened. */
  readonly runs: readonly Plain[];
  /** Chats that are this user's, and codes to link one. */
  readonly links: readonly Plain[];
  readonly linkCodes: readonly Plain[];
  /** Persons that they are at issuers. */
  readonly identities: readonly Plain[];
  /** Updates that came over channels, and what was to be sent over them. */
  readonly updates: readonly Plain[];
  readonly dispatches: readonly Plain[];
  /** Spending by day and receiver, in millionths of a dollar and in tokens. */
  readonly spending: readonly Plain[];
  readonly events: readonly Plain[];
  /** Rows of tables that packages declare, by the tables' names. */
  readonly [table: string]: unknown;
};

export async function exportUser(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  { prompts = true, ...who }: UserSelector & { readonly prompts?: boolean },
): Promise<UserExport> {
  return home.read("everything", async (db) => {
    await checkAllKnown(db, home);
    await checkWho(db, who);
    const user = await db.one<{ zone: string | null }>(sql`select zone from users where id = ${who.user}`);
    const shown = home.schema.tables.filter((made) => made.exported !== false && ownerColumns(made).user !== undefined);
    const agents: AgentExport[] = [];
    for (const agent of await agentsOf(db, home.schema.tables, who))
      agents.push(await exportAgent(db, texts, shown, { user: who.user, agent }, prompts));
    const { tokens = [], ...rest } = await exportRows(db, shown, "store", who);
    return { user: who.user, exportedAt: now(), zone: user?.zone ?? null, tokens, ...rest, agents };
  });
}

type WithAgent = UserSelector & { readonly agent: string };

async function agentsOf(db: Database, all: readonly Table[], { user, agent }: UserSelector): Promise<string[]> {
  const tables = all
    .filter(({ of }) => of === "user")
    .map(({ name }) => sql`select agent from ${raw(name)} where user_id = ${user}`);
  const rows = await db.all<{ agent: string }>(joinQueries(tables, " union "));
  const known = rows.map((row) => row.agent).sort();
  return agent === undefined ? known : known.filter((name) => name === agent);
}

async function exportAgent(
  db: Database,
  texts: Texts,
  tables: readonly Table[],
  who: WithAgent,
  prompts: boolean,
): Promise<AgentExport> {
  const rows = await exportRows(db, tables, "user", who);
  const { turns = [], attachments = [], messages = [] } = rows;
  const offered = new Map<string, unknown>();
  return {
    ...(rows as AgentExport),
    agent: who.agent,
    standing: await standing(db, texts, who),
    messages: messages.map((message) => ({ ...message, failures: message.failures ?? [] })),
    turns: prompts ? await withPrompts(db, texts, turns, offered) : turns,
    tools: [...offered].map(([digest, tools]) => ({ digest, tools })),
    attachments: attachments.map(({ body, ...about }) => ({ ...about, data: about.erasedAt === null ? body : null })),
  };
}

/** Reads a user's rows of all tables with this kind of owner, by their names in the export. */
async function exportRows(
  db: Database,
  tables: readonly Table[],
  owner: Table["of"],
  who: UserSelector,
): Promise<Record<string, readonly Plain[]>> {
  const out: Record<string, readonly Plain[]> = {};
  for (const made of tables)
    if (made.of === owner) out[made.exported || camelCase(made.name)] = await rowsOf(db, made, who);
  return out;
}

/** Reads a user's rows of a table, oldest first if they have a time. */
async function rowsOf(db: Database, made: Table, who: UserSelector): Promise<Plain[]> {
  const { user = "", agent } = ownerColumns(made);
  const shown = made.all.filter(({ isInner, column }) => !isInner && column !== user);
  const by = [...(shown.some(({ column }) => column === "at") ? ["at"] : []), ...made.key];
  const own = matching({ [user]: who.user, ...(agent === undefined ? {} : { [agent]: who.agent }) });
  const rows = await db.all<Row>(sql`select ${raw(shown.map(({ column }) => column).join(", "))}
    from ${raw(made.name)} where ${own} order by ${raw(by.join(", "))}`);
  return rows.map((row) => Object.fromEntries(shown.map((one) => [one.field, plain(row[one.column] ?? null, one)])));
}

function plain(value: Value, { reads }: TableColumn): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value === null || reads === undefined) return value;
  return reads === "json" ? JSON.parse(value as string) : value === 1;
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function standing(db: Database, texts: Texts, { user, agent }: WithAgent): Promise<Plain[]> {
  const own = sql`where agent = ${agent} and user_id = ${user}`;
  const heads = await db.all<{ section: string; revision: number; words: string }>(
    sql`select section, revision, words from standings ${own}`,
  );
  const sections = new Map<string, Plain[]>();
  for await (const row of db.each<AmendmentRow>(sql`select * from amendments ${own} order by section, revision`)) {
    const { scope: _, section, ...entry } = amendmentEntryOf(row);
    const words = async (digest: string) =>
      row.erased_at === null ? ((await texts.get(db, user, digest)) ?? null) : null;
    const whole = { ...entry, before: await words(row.before_digest), after: await words(row.after_digest) };
    const history = sections.get(section) ?? [];
    history.push(whole);
    sections.set(section, history);
  }
  return [...sections].map(([section, history]) => {
    const head = heads.find((one) => one.section === section);
    const erased = history.at(-1)?.erasedAt !== null;
    return { section, revision: head?.revision ?? null, words: erased ? null : (head?.words ?? null), history };
  });
}

async function withPrompts(
  db: Database,
  texts: Texts,
  turns: readonly Plain[],
  offered: Map<string, unknown>,
): Promise<Plain[]> {
  const out: Plain[] = [];
  for (const turn of turns) {
    const steps: Plain[] = [];
    for (const step of await db.all<StepRow>(sql`select * from steps where turn = ${turn.id as string} order by step`))
      steps.push({ step: step.step, at: step.at, erasedAt: step.erased_at, ...(await sent(db, texts, step, offered)) });
    out.push({ ...turn, steps });
  }
  return out;
}

/** Returns the prompt of a step. If it can no longer be proved, the export says so, and contains everything else all the same. */
async function sent(db: Database, texts: Texts, row: StepRow, offered: Map<string, unknown>): Promise<Plain> {
  if (row.erased_at !== null) return { sent: null, result: null };
  const result = row.result === null ? null : JSON.parse(row.result);
  try {
    const { slots, receipt, besides } = await replayStep(db, texts, row, `step ${row.step} of “${row.turn}”`);
    const { offers: tools } = receipt;
    if (tools !== undefined && besides.offers !== null) offered.set(tools, JSON.parse(besides.offers));
    const about = {
      ...(receipt.identity ? { identity: receipt.identity } : {}),
      ...(tools === undefined ? {} : { tools }),
      ...(besides.summary === null ? {} : { summary: besides.summary }),
      ...(besides.changed === null ? {} : { changed: JSON.parse(besides.changed) }),
    };
    return { sent: slots.map(({ slot, text }) => ({ slot, text })), ...about, result };
  } catch (error) {
    rethrowUnlessProblem(error);
    return { sent: null, because: error.message, result };
  }
}
