import { longRows } from "./long-rows.ts";
import type { Migration } from "./migration.ts";
import { firstMigrations } from "./old-migration.ts";

/**
 * What an agent with a life of its own needs: its state and means, whose turn it is among those who write to it. A
 * sender stands in the rows under a key no user has.
 */
const fifth: Migration = ({ number, byKey, own }) => [
  ...["conversations", "exchanges", "inbox", "outbox"].map(
    (table) => `update ${table} set user_id = 'counterpart:' || user_id`,
  ),
  `update events set user_id = 'counterpart:' || user_id where user_id <> ''
    and kind in ('message-taken', 'message-answered', 'message-dead')`,

  // `lane`: the door a message came through; `round`: its place among those of its lane, each sender once a round.
  // `failure` has been the last one; from here on it is a JSON list of all. `draft`: what the turn that has it will reply.
  "alter table inbox add column lane text not null default ''",
  `alter table inbox add column round ${number} not null default 0`,
  "alter table inbox add column draft text",
  "alter table inbox add column secret text",
  "alter table inbox add column secret_until text",
  "create index inbox_lane on inbox (agent, status, lane, round, at)",
  "create index inbox_counterpart on inbox (agent, user_id, status, at)",
  "create index inbox_turn on inbox (agent, turn) where status = 'taken'",
  "create index outbox_message on outbox (agent, message)",
  `create table lanes (agent text not null, lane text not null, served ${number} not null,
    primary key (agent, lane))${byKey}`,
  // Ids of messages that were erased while a signature for them may still hold, as digests.
  `create table message_ids (agent text not null, digest text not null, until text not null,
    primary key (agent, digest))${byKey}`,

  // What a turn cost in millionths of a dollar; nothing where its model has no price.
  `alter table turns add column micros ${number}`,
  "create index turns_ended on turns (agent, ended_at)",

  `create table automata (agent text primary key, state text not null, state_at text not null, turn text,
    tier text not null, good_checks ${number} not null, granted ${number}, spent_before ${number} not null,
    asleep_until text, own_turn_at text, away_since text, away_because text, away_turn text,
    runner text, leased_until text, earned_on text, earned ${number} not null)${byKey}`,
  // Of agents with such a row: what was ever spent, and how many turns there were.
  `create table totals (agent text primary key, micros ${number} not null, turns ${number} not null)${byKey}`,
  ...own[5],
];

/**
 * What a section needs that is also kept elsewhere: what goes out with an amendment, once each by its id, and the newest
 * that was seen there. A head without an id: something of the agent's own is there, and could not be read.
 */
const sixth: Migration = ({ number, byKey, own }) => [
  `create table publications (agent text not null, id text not null, section text not null, revision ${number} not null,
    address text not null, created_at ${number} not null, body text not null, at text not null, state text not null,
    tries ${number} not null, next_try_at text, taken text not null, missed text not null, settled_at text,
    primary key (agent, id))${byKey}`,
  `create index publications_waiting on publications (next_try_at, agent) where state = 'waiting'`,
  `create index publications_section on publications (agent, section, revision)`,
  `create table heads (agent text not null, section text not null, address text not null, id text,
    created_at ${number} not null, digest text, place text, body text, at text not null,
    primary key (agent, section, address))${byKey}`,
  ...own[6],
];

/**
 * What a long day needs: sessions that say why they were opened, and what was sent into a conversation from elsewhere.
 */
const seventh: Migration = ({ number, byKey, own, remade }) => [
  // In the order of its key, a row of more than a quarter of a page takes another page, most of it empty.
  ...longRows(number).flatMap(remade),

  // Why it was opened, where there was one before it: "new" was asked for, or the last was "idle" for too long.
  "alter table sessions add column because text",
  // What is said of a turn's reply that is sent into another conversation; that conversation, and when it got there.
  "alter table turns add column told_as text",
  "alter table turns add column told_in text",
  "alter table turns add column told_at text",
  "create index turns_told on turns (told_in, told_at, id) where told_in is not null",

  // What people call it, and when it was removed: its name stays in the digests of every chain.
  "alter table agents add column label text",
  "alter table agents add column removed_at text",

  // How many tokens a model takes where it is served, and how that is known. Nobody's words, and of no agent.
  `create table windows (model text not null, address text not null, tokens ${number} not null, how text not null,
    at text not null, primary key (model, address))${byKey}`,
  ...own[7],
];

/** Which events turns are listed by, as the index says it: a query that uses it says the same. A published text is never edited. */
export const toldOfTurns = `kind in ('amended', 'amendment-refused', 'amendment-held', 'tool-held')
    and turn is not null and length(turn) <= 200`;

/** What people bring and look for: files with what they say, notes that are found, tools of other servers. */
const eighth: Migration = ({ bytes, number, byKey, own }) => [
  // What a note is found by; null until it was worked out, which SQL cannot do.
  "alter table memories add column stems text",
  "create index memories_unindexed on memories (agent, user_id) where stems is null",
  // What an embedder made of a note. Worked out from its words: it can be made anew at any time.
  `create table vectors (agent text not null, user_id text not null, note text not null, embedder text not null,
    vector ${bytes} not null, primary key (agent, user_id, embedder, note))`,
  "create index vectors_note on vectors (note)",
  // The models that are asked where the first cannot answer, as a list of names; null is none.
  "alter table agents add column fallbacks text",
  // The model that would have been asked, while another of the agent's takes its place.
  "alter table sessions add column stands_in_for text",
  // What each tool of another server is offered as, and what is held in its place, as JSON with its digest.
  `create table tool_pins (agent text not null, server text not null, tool text not null, id text not null,
    status text not null, digest text, definition text, next_digest text, next_definition text, because text not null,
    at text not null, decided_at text, decided_by text, decided_because text, primary key (agent, server, tool))`,
  "create index tool_pins_id on tool_pins (id)",
  // What came with a turn's input, as a JSON list in its order: digest, kind, size and name of each.
  "alter table turns add column attachments text",
  "create index turns_attachments on turns (agent, user_id) where attachments is not null",
  // Its bytes, once for each scope; of those that were let go only that they were there.
  `create table attachments (agent text not null, user_id text not null, digest text not null, media_type text not null,
    size ${number} not null, body ${bytes} not null, at text not null, erased_at text,
    primary key (agent, user_id, digest))`,
  // Which kinds a model refused where it is served. Nobody's words, and of no agent.
  `create table refused_kinds (model text not null, address text not null, kind text not null, at text not null,
    primary key (model, address, kind))${byKey}`,
  // What whoever asked for the turn gave with it, as JSON, where the agent keeps that.
  "alter table turns add column context text",
  ...own[8],
];

const usage = ["input_tokens", "read_tokens", "written_tokens", "output_tokens"];

/**
 * What turns are listed by: each with its model, what it used, how long it took and what happened in it, in columns with
 * indexes; and the words of its input and reply.
 */
const ninth: Migration = ({ number, own }) => [
  // As the provider counted; a turn has the sums of its steps. Null where that is not known.
  ...["steps", "turns"].flatMap((table) => usage.map((one) => `alter table ${table} add column ${one} ${number}`)),
  // The model that was asked last; and why it failed, as JSON.
  "alter table turns add column model text",
  "alter table turns add column because text",
  `alter table turns add column duration_ms ${number}`,
  // Whether a tool was called, and whether a request missed the provider's cache.
  `alter table turns add column tools ${number} not null default 0`,
  ...["steps", "turns"].map((table) => `alter table ${table} add column missed ${number} not null default 0`),
  // So many thousandths of a request a provider keeps in its cache that does not count what it writes.
  `alter table steps add column stable ${number}`,
  // Null until what stands above, and the words, were worked out: which SQL cannot do.
  `alter table turns add column indexed ${number}`,
  "create index turns_unindexed on turns (agent, started_at, id) where indexed is null",
  "drop index turns_scope",
  "create index turns_started on turns (agent, started_at, id)",
  "create index turns_user on turns (agent, user_id, started_at, id)",
  "create index turns_state on turns (agent, state, started_at, id)",
  // An index takes no text that is very long; whoever looks for such a one goes without.
  ...["channel", "model"].map(
    (one) => `create index turns_${one} on turns (agent, ${one}, started_at, id) where length(${one}) <= 200`,
  ),
  "create index turns_tools on turns (agent, started_at, id) where tools = 1",
  "create index turns_missed on turns (agent, started_at, id) where missed = 1",
  `create index events_in_turns on events (agent, kind, turn) where ${toldOfTurns}`,
  // Those of one turn only are in no list.
  "create index sessions_listed on sessions (agent, last_at, id) where (ended_at is null or ended_at <> started_at)",
  "create index held_waiting on held (agent) where status = 'waiting'",
  "create index held_calls_waiting on held_calls (agent) where status = 'waiting'",
  "create index tool_pins_waiting on tool_pins (agent) where status = 'waiting'",
  ...own[9],
];

/**
 * What an agent needs whose inbox is also a contract on a chain: how far it was read, what came from there and where it
 * stands there, the replies that went there, and what the agent has there.
 */
const tenth: Migration = ({ number, byKey, own }) => [
  // The last block that was read, by number and hash; nothing until the first was. Who reads and sends, and until when.
  `create table chain_cursors (agent text not null, chain ${number} not null, contract text not null,
    start_block ${number}, block ${number}, hash text, head ${number}, unconfirmed ${number} not null, read_at text,
    problem text, runner text, leased_until text, address text, primary key (agent, chain, contract))${byKey}`,
  // Hashes of blocks that were read: by them the last block is found that is still part of the chain.
  `create table chain_blocks (agent text not null, chain ${number} not null, contract text not null,
    block ${number} not null, hash text not null, primary key (agent, chain, contract, block))${byKey}`,
  // Where a message of the inbox stands on the chain. 'withdrawn': it waited when its block went. 'cycles': what it paid
  // became, once; null until then.
  `create table chain_messages (agent text not null, message text not null, user_id text not null,
    chain ${number} not null, contract text not null, on_chain text not null, tx text not null, place ${number} not null,
    block ${number} not null, block_hash text not null, value text not null, state text not null,
    withdrawn ${number} not null, at text not null, cycles ${number}, primary key (agent, message))`,
  "create index chain_messages_block on chain_messages (agent, chain, contract, block)",
  "create index chain_messages_paid on chain_messages (agent, chain, contract, block) where cycles is null and value <> '0'",
  "create index chain_messages_user on chain_messages (user_id, agent)",
  // The transaction of a reply as it was signed, kept before it is sent. Amounts of wei are texts: no number holds them.
  `create table chain_replies (agent text not null, reply text not null, user_id text not null, message text not null,
    chain ${number} not null, contract text not null, on_chain text not null, state text not null, raw text, tx text,
    nonce ${number}, fee text, at text not null, sent_at text, block ${number}, block_hash text, reason text,
    primary key (agent, reply))`,
  "create index chain_replies_message on chain_replies (agent, message)",
  "create index chain_replies_state on chain_replies (agent, state, at)",
  "create index chain_replies_user on chain_replies (user_id, agent)",
  `create table chain_balances (agent text not null, chain ${number} not null, asset text not null,
    amount text not null, decimals ${number} not null, symbol text not null, block ${number} not null,
    read_at text not null, primary key (agent, chain, asset))${byKey}`,
  ...own[10],
];

/**
 * How many rows of a table are whose, and the sum of their digests: what is in no chain is proven by these. And who signs
 * in at an issuer.
 */
const eleventh: Migration = ({ number, byKey, own }) => [
  `create table seals (agent text not null, user_id text not null, what text not null, count ${number} not null,
    digest text not null, primary key (agent, user_id, what))${byKey}`,
  // Which user a person of an issuer is with an agent.
  `create table identities (agent text not null, user_id text not null, issuer text not null, subject text not null,
    at text not null, primary key (agent, issuer, subject))${byKey}`,
  "create index identities_person on identities (issuer, subject)",
  "create index identities_user on identities (user_id, agent)",
  // Where a call works: it runs nowhere else.
  "alter table held_calls add column place text",
  ...own[11],
];

export const migrations: readonly Migration[] = [
  ...firstMigrations,
  ...[fifth, sixth, seventh, eighth, ninth, tenth, eleventh],
];
