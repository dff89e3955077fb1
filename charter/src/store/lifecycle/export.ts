import { Problem } from "../../prompt/problem.ts";
import { type AmendmentRow, amendmentEntryOf } from "../amendments/amendments.ts";
import { failuresOf } from "../conversations/inbox-row.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, type Query, type Row, raw, sql } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import type { Texts } from "../texts/text.ts";
import { replayStep, type StepRow } from "../turns/steps.ts";
import { checkWho, type UserSelector } from "./user-rows.ts";

/** Rows as people read them: JSON is opened, and names are written as everywhere else in Charter's JSON. */
type Plain = Readonly<Record<string, unknown>>;

/** Everything that is stored about one user, as JSON. */
export type UserExport = {
  readonly user: string;
  readonly exportedAt: string;
  readonly zone: string | null;
  readonly tokens: readonly Plain[];
  readonly agents: readonly AgentExport[];
};

export type AgentExport = {
  readonly agent: string;
  /** Words that stand for this user, each with how it came to them, oldest first. */
  readonly standing: readonly Plain[];
  readonly held: readonly Plain[];
  /** Calls of tools that had to wait for a person. */
  readonly calls: readonly Plain[];
  readonly memories: readonly Plain[];
  readonly conversation: readonly Plain[];
  readonly messages: readonly Plain[];
  readonly replies: readonly Plain[];
  /** Where messages that came by a chain stand there, and the transactions of replies to them. */
  readonly chainMessages: readonly Plain[];
  readonly chainReplies: readonly Plain[];
  /** With the prompts that were sent, slot by slot. */
  readonly turns: readonly Plain[];
  /** The tools that were offered with them, each list once, by the digest its steps name. */
  readonly tools: readonly Plain[];
  /** The bytes of the pictures and files that came with turns, as base64, each once by the digest its turns name. */
  readonly attachments: readonly Plain[];
  readonly sessions: readonly Plain[];
  readonly schedules: readonly Plain[];
  /** Each time a schedule was due, and what became of it. */
  readonly runs: readonly Plain[];
  /** Chats that are this user's, and codes to link one. */
  readonly links: readonly Plain[];
  readonly linkCodes: readonly Plain[];
  /** Who they are at an issuer. */
  readonly identities: readonly Plain[];
  /** What came over channels, and what was to be sent over them. */
  readonly updates: readonly Plain[];
  readonly dispatches: readonly Plain[];
  /** By day and receiver, in millionths of a dollar and in tokens. */
  readonly spending: readonly Plain[];
  readonly events: readonly Plain[];
};

export async function exportUser(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  { prompts = true, ...who }: UserSelector & { readonly prompts?: boolean },
): Promise<UserExport> {
  return home.read("everything", async (db) => {
    await checkWho(db, who);
    const user = await db.one<{ zone: string | null }>(sql`select zone from users where id = ${who.user}`);
    const mine = who.agent === undefined ? raw("") : sql`and agent = ${who.agent}`;
    const tokens =
      await db.all<Row>(sql`select id, name, agent, rights, created_at, expires_at, last_used_at, revoked_at
      from tokens where user_id = ${who.user} ${mine} order by id`);
    const agents: AgentExport[] = [];
    for (const agent of await agentsOf(db, home.schema.tables, who))
      agents.push(await exportAgent(db, texts, { agent, user: who.user }, prompts));
    return { user: who.user, exportedAt: now(), zone: user?.zone ?? null, tokens: tokens.map(plain), agents };
  });
}

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
  { agent, user }: { readonly agent: string; readonly user: string },
  prompts: boolean,
): Promise<AgentExport> {
  const rows = async (table: string, order: string) => {
    const found = await db.all<Row>(
      sql`select * from ${raw(table)} where agent = ${agent} and user_id = ${user} order by ${raw(order)}`,
    );
    return found.map(plain);
  };
  const offered = new Map<string, unknown>();
  return {
    agent,
    standing: await standing(db, texts, agent, user),
    held: await rows("held", "id"),
    calls: (await rows("held_calls", "id")).map(opened),
    memories: await rows("memories", "number"),
    conversation: await rows("exchanges", "number"),
    messages: (await rows("inbox", "at, id")).map(withoutSecret),
    replies: await rows("outbox", "at, id"),
    chainMessages: (await rows("chain_messages", "at, message")).map(({ withdrawn: _, ...message }) => message),
    chainReplies: (await rows("chain_replies", "at, reply")).map(({ raw: _, ...reply }) => reply),
    turns: prompts ? await turns(db, texts, { agent, user }, offered) : await rows("turns", "id"),
    tools: [...offered].map(([digest, tools]) => ({ digest, tools })),
    attachments: (await rows("attachments", "at, digest")).map(readable),
    sessions: await rows("sessions", "id"),
    schedules: await rows("schedules", "id"),
    runs: await rows("runs", "due_at, id"),
    links: await rows("links", "at, channel, address"),
    linkCodes: (await rows("link_codes", "at, channel")).map(({ digest: _, ...code }) => code),
    identities: await rows("identities", "issuer, subject"),
    updates: await rows("updates", "at, channel, id"),
    dispatches: await rows("dispatches", "id"),
    spending: await rows("spending", "day, receiver"),
    events: await rows("events", "id"),
  };
}

async function standing(db: Database, texts: Texts, agent: string, user: string): Promise<Plain[]> {
  const own: Query = sql`where agent = ${agent} and user_id = ${user}`;
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

async function turns(
  db: Database,
  texts: Texts,
  { agent, user }: { readonly agent: string; readonly user: string },
  offered: Map<string, unknown>,
): Promise<Plain[]> {
  const out: Plain[] = [];
  for (const row of await db.all<Row>(
    sql`select * from turns where agent = ${agent} and user_id = ${user} order by id`,
  )) {
    const steps: Plain[] = [];
    for (const step of await db.all<StepRow>(sql`select * from steps where turn = ${row.id as string} order by step`))
      steps.push({ step: step.step, at: step.at, erasedAt: step.erased_at, ...(await sent(db, texts, step, offered)) });
    out.push({ ...plain(row), steps });
  }
  return out;
}

/** A prompt that cannot be proved any more is said to be so; the rest of what is kept about someone is told all the same. */
async function sent(db: Database, texts: Texts, row: StepRow, offered: Map<string, unknown>): Promise<Plain> {
  if (row.erased_at !== null) return { sent: null, came: null };
  const came = row.came === null ? null : JSON.parse(row.came);
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
    return { sent: slots.map(({ slot, text }) => ({ slot, text })), ...about, came };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { sent: null, because: error.message, came };
  }
}

const json = new Set(["proposal", "refusals", "baseline", "detail", "rights", "extra", "attachments", "context"]);
/** Known from where it stands, or of no use outside: whose it is, how a search looks at it, which process ran it. */
const left = new Set([
  "user_id",
  "folded",
  "stems",
  "search",
  "number",
  "runner",
  "lease_seconds",
  "call_digest",
  "round",
  "indexed",
]);
const truths = new Set(["tainted", "tools", "missed"]);

/** What a tool was to be given, and what it gave. */
function opened(call: Plain): Plain {
  const { input, result } = call as { input: string; result: string | null };
  return { ...call, input: JSON.parse(input), result: result === null ? null : JSON.parse(result) };
}

function readable({ body, ...about }: Plain): Plain {
  return { ...about, data: about.erasedAt === null ? Buffer.from(body as Uint8Array).toString("base64") : null };
}

/** What opens a reply is nobody's words. */
function withoutSecret({ secret: _, secretUntil: __, failures, ...message }: Plain): Plain {
  return { ...message, failures: failuresOf({ failures } as Parameters<typeof failuresOf>[0]) };
}

function plain(row: Row): Plain {
  const fields = Object.entries(row)
    .filter(([name]) => !left.has(name) && !(name === "agent" && "user_id" in row))
    .map(([name, value]) => {
      const opened = json.has(name) && typeof value === "string" ? JSON.parse(value) : value;
      const said = truths.has(name) ? opened === 1 : opened;
      return [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), said];
    });
  return Object.fromEntries(fields);
}
