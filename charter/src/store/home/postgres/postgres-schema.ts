import type { ColumnTypes } from "../migration.ts";
import { checkSoundText } from "../sound-text.ts";
import { type SchemaStep, tablesOf } from "../tables.ts";
import { sealStatements } from "./postgres-seals.ts";

/** The role that row-level security holds for: it owns nothing and bypasses nothing. */
export const role = "charter_user";

/** A server has the role once, for all its databases: whoever makes the second may be no more than a member of it. */
export const createRole = `do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then
      create role ${role} nologin nosuperuser nobypassrls noinherit;
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$;
  do $$ begin
    set local role ${role};
    reset role;
  exception when insufficient_privilege then
    grant ${role} to current_user;
  end $$;
  grant usage on schema charter to ${role}`;

/** A value in a statement's own words: it means the same whatever the server makes of a plain '\\'. */
export function literal(value: string): string {
  checkSoundText(value);
  return ` E'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

const user = "current_setting('charter.user', true)";
const ownAgent = "agent = current_setting('charter.agent', true)";
const ownRow = `${ownAgent} and user_id = ${user}`;
/** Nobody's scope but the agent's. */
const agentAlone = `${ownAgent} and coalesce(${user}, '') = ''`;
const seen = `in ('', ${user})`;

type Policies = { readonly see: string; readonly add: string; readonly change: string; readonly remove: string };

function isolated(table: string, { see, add, change, remove }: Policies): string[] {
  return [
    `alter table ${table} enable row level security`,
    `grant select, insert, update, delete on ${table} to ${role}`,
    `create policy seen on ${table} for select to ${role} using (${see})`,
    `create policy added on ${table} for insert to ${role} with check (${add})`,
    `create policy changed on ${table} for update to ${role} using (${change}) with check (${change})`,
    `create policy removed on ${table} for delete to ${role} using (${remove})`,
  ];
}

/** An agent's common rows may be read in a user's scope; only the scope's own rows may be written. */
function scoped(table: string): string[] {
  return isolated(table, { see: `${ownAgent} and user_id ${seen}`, add: ownRow, change: ownRow, remove: ownRow });
}

/** Read in its agent's scopes, and written in none. */
function onlySeen(table: string): string[] {
  return [
    `alter table ${table} enable row level security`,
    `grant select on ${table} to ${role}`,
    `create policy seen on ${table} for select to ${role} using (${ownAgent})`,
  ];
}

/**
 * What stands between words, in any script and whatever the locale of the database, which in C takes a dash or an
 * emoji for a letter. Without it 'and/or', a.b and x@y would be one word each.
 */
const betweenWords = [
  "!-/:-@\\[-`{-~",
  "\\u00a1-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7",
  "\\u055a-\\u055f\\u0589\\u05be\\u05c0\\u05c3\\u05f3\\u05f4\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u1361-\\u1368",
  "\\u2000-\\u206f\\u20a0-\\u20cf\\u2190-\\u245f\\u2500-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d-\\u303f\\u30fb",
  "\\ufe10-\\ufe6f\\U0001f000-\\U0001faff",
].join("");

/** Columns that hold what people and agents said, and where people are reached, by the step of the schema they came with. */
const worded: Readonly<Record<SchemaStep, Readonly<Record<string, readonly string[]>>>> = {
  1: {
    texts: ["body"],
    standings: ["words"],
    amendments: ["reason"],
    held: ["proposal", "refusals", "before_words", "after_words", "because"],
    memories: ["key", "words", "folded", "search"],
    exchanges: ["sender_body", "agent_reply"],
    inbox: ["body", "failure"],
    outbox: ["body"],
    sessions: ["baseline"],
    turns: ["input", "reply"],
    steps: ["came"],
    events: ["detail"],
    schedules: ["title", "input"],
  },
  2: { held_calls: ["input", "because", "decided_because", "result"] },
  3: {
    runs: ["because"],
    links: ["address"],
    updates: ["address", "body", "failure"],
    dispatches: ["address", "body", "extra", "failure"],
  },
  4: {},
  5: { inbox: ["draft"] },
  6: { publications: ["body", "missed"], heads: ["body"] },
  7: { turns: ["told_as"] },
  8: {
    memories: ["stems", "search"],
    vectors: ["vector"],
    tool_pins: ["definition", "next_definition", "because", "decided_because"],
    turns: ["attachments", "context"],
    attachments: ["body"],
  },
  9: { turn_words: ["words"], turns: ["because"] },
  10: { chain_replies: ["raw", "reason"] },
  11: { held_calls: ["place"], identities: ["subject"] },
};

/** What the server learns for its plans it copies out of the rows, and keeps when they are erased: so it learns nothing. */
function unlearned(step: SchemaStep): string[] {
  return Object.entries(worded[step]).map(
    ([table, columns]) =>
      `alter table ${table} ${columns.map((column) => `alter column ${column} set statistics 0`).join(", ")}`,
  );
}

export const postgresTypes: ColumnTypes = {
  bytes: "bytea",
  number: "bigint",
  counted: "bigint generated by default as identity primary key",
  byKey: "",
  remade: () => [],
  own: {
    1: [
      `alter table memories add column search tsvector generated always as
      (to_tsvector('simple', regexp_replace(folded, ${literal(`[${betweenWords}]`)}, ' ', 'g'))) stored`,
      "create index memories_search on memories using gin (search)",
      ...unlearned(1),
      ...tablesOf[1].flatMap(scoped),
      // A user's step may bring common words along and moves the end of its agent's chain; it takes neither away.
      ...isolated("texts", { see: `owner ${seen}`, add: `owner ${seen}`, change: "false", remove: `owner = ${user}` }),
      ...isolated("chains", { see: ownAgent, add: ownAgent, change: ownAgent, remove: "false" }),
      "alter table agents enable row level security",
      `grant select on agents to ${role}`,
      `create policy seen on agents for select to ${role} using (name = current_setting('charter.agent', true))`,
      ...isolated("users", {
        see: `id = ${user}`,
        add: `id = ${user}`,
        change: `id = ${user}`,
        remove: `id = ${user}`,
      }),
      "alter table tokens enable row level security",
    ],
    2: [...unlearned(2), ...tablesOf[2].flatMap(scoped)],
    3: [...unlearned(3), ...tablesOf[3].flatMap(scoped)],
    4: [],
    5: [
      ...unlearned(5),
      // A user's turn counts among its agent's, and so does what it cost; of the agent's means it changes nothing.
      ...isolated("totals", { see: ownAgent, add: "false", change: ownAgent, remove: "false" }),
      ...["automata", "lanes", "message_ids"].flatMap(onlySeen),
    ],
    6: [
      ...unlearned(6),
      // What goes out with an amendment of the agent's own text; in a user's scope it is only seen.
      ...isolated("publications", { see: ownAgent, add: agentAlone, change: agentAlone, remove: "false" }),
      ...isolated("heads", { see: ownAgent, add: agentAlone, change: agentAlone, remove: "false" }),
    ],
    // Windows are read and written beside a turn: no scope has to do with them.
    7: [...unlearned(7), "alter table windows enable row level security"],
    8: [
      "alter table memories drop column search",
      "alter table memories add column search text[] generated always as (string_to_array(stems, ' ')) stored",
      "create index memories_search on memories using gin (search)",
      ...unlearned(8),
      ...tablesOf[8].flatMap(scoped),
      // Pins are written beside a turn as well.
      ...onlySeen("tool_pins"),
      "alter table refused_kinds enable row level security",
    ],
    9: [
      `create table turn_words (number bigint generated by default as identity primary key, turn text not null unique,
        agent text not null, user_id text not null, words tsvector not null)`,
      "create index turn_words_scope on turn_words (agent, user_id)",
      "create index turns_search on turn_words using gin (words)",
      "create index turns_cost on turns (agent, micros desc nulls last, started_at desc, id desc)",
      "create index turns_duration on turns (agent, duration_ms desc nulls last, started_at desc, id desc)",
      ...unlearned(9),
      ...tablesOf[9].flatMap(scoped),
    ],
    10: [
      ...unlearned(10),
      ...tablesOf[10].flatMap(scoped),
      // The chain is read, and written to, beside turns.
      ...["chain_cursors", "chain_blocks", "chain_balances"].flatMap(onlySeen),
      "drop index turns_search",
      // From now on whose a turn is stands among its words, as `agentWord` writes it.
      `update turn_words set words = words || array_to_tsvector(array['@' || encode(convert_to(agent, 'UTF8'), 'hex')])`,
      // Words go into it at once: what waits to be put in is gone through by every search, and makes the server avoid it.
      "create index turns_search on turn_words using gin (words) with (fastupdate = off)",
    ],
    11: [...unlearned(11), ...tablesOf[11].flatMap(scoped), ...sealStatements],
  },
};
