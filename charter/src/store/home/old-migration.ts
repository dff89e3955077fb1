import type { Migration } from "./migration.ts";

const scoped = "agent text not null, user_id text not null";

const first: Migration = ({ bytes, number, counted, byKey, own }) => [
  `create table agents (name text primary key, charter text not null, model text, settings text not null,
    frozen text, created_at text not null, updated_at text not null)`,
  `create table users (id text primary key, zone text, created_at text not null)`,

  // A text once by its digest, for each owner ('' = the agents' common words); `base`: the one it is packed against.
  `create table texts (owner text not null, digest text not null, base text, depth ${number} not null,
    packed ${number} not null, body ${bytes} not null, primary key (owner, digest))${byKey}`,

  `create table standings (${scoped}, section text not null, revision ${number} not null, digest text not null,
    words text not null, primary key (agent, user_id, section))${byKey}`,
  `create table amendments (${scoped}, section text not null, revision ${number} not null,
    operation text not null, actor text not null, turn text, at text not null, reason text, reason_digest text,
    before_digest text not null, after_digest text not null, previous text not null, digest text not null,
    key text, erased_at text, primary key (agent, user_id, section, revision))${byKey}`,
  `create unique index amendments_key on amendments (agent, user_id, key) where key is not null`,
  `create index amendments_turn on amendments (agent, user_id, turn) where turn is not null`,
  `create table held (id text primary key, ${scoped}, section text not null, proposal text not null,
    refusals text not null, before_words text not null, after_words text not null, at text not null, key text,
    status text not null, decided_at text, decided_by text, because text, revision ${number})`,
  `create index held_scope on held (agent, user_id, status)`,
  `create unique index held_key on held (agent, user_id, key) where key is not null`,

  `create table memories (number ${counted}, id text not null unique, ${scoped}, key text, words text not null,
    folded text not null, tainted ${number} not null, turn text, at text not null)`,
  `create index memories_scope on memories (agent, user_id, at, number)`,
  `create unique index memories_key on memories (agent, user_id, key) where key is not null`,

  `create table conversations (${scoped}, last_at text not null, active ${number} not null,
    exchanges ${number} not null, primary key (agent, user_id))${byKey}`,
  `create index conversations_active on conversations (agent, active)`,
  `create table exchanges (${scoped}, number ${number} not null, message text not null, sender_body text not null,
    agent_reply text not null, turn text not null, at text not null, primary key (agent, user_id, number))${byKey}`,
  `create table inbox (id text not null, ${scoped}, sender text not null, body text not null, at text not null,
    status text not null, tries ${number} not null, leased_until text, turn text, failure text, channel text,
    primary key (agent, id))${byKey}`,
  `create index inbox_waiting on inbox (agent, status, at)`,
  `create table outbox (id text not null, ${scoped}, body text not null, at text not null, turn text not null,
    message text, sent_at text, primary key (agent, id))${byKey}`,
  `create index outbox_unsent on outbox (agent, at) where sent_at is null`,

  `create table sessions (id text primary key, ${scoped}, receiver text not null, baseline text not null,
    started_at text not null, last_at text not null, ended_at text)`,
  `create index sessions_scope on sessions (agent, user_id, last_at)`,
  `create table turns (id text not null primary key, ${scoped}, session text, channel text, input text not null,
    reply text, state text not null, tainted ${number} not null, started_at text not null, ended_at text)${byKey}`,
  `create index turns_scope on turns (agent, id)`,
  // A step keeps its receipt: a chain of its own for each agent. \`chains\` says where each chain ends.
  `create table steps (agent text not null, number ${number} not null, user_id text not null, turn text not null,
    step ${number} not null, at text not null, receipt text not null, previous text not null, digest text not null,
    erased_at text, came text, came_digest text, primary key (agent, number))${byKey}`,
  `create index steps_turn on steps (turn, step)`,
  `create table chains (agent text primary key, number ${number} not null, digest text not null)${byKey}`,

  `create table events (id ${counted}, ${scoped}, at text not null, kind text not null, turn text, detail text not null)`,
  `create index events_scope on events (agent, user_id, id)`,
  `create table schedules (id text primary key, ${scoped}, title text not null, cron text, zone text, input text not null,
    channel text not null, next_at text, last_at text, ended_at text, leased_until text)`,
  `create index schedules_due on schedules (next_at) where next_at is not null`,
  `create table tokens (id text primary key, digest text not null unique, name text not null, agent text, user_id text,
    rights text not null, created_at text not null, expires_at text, last_used_at text, revoked_at text)`,
  ...own[1],
];

/** What turns that run need: who runs them and until when, what they spent, the calls that wait for a person. */
const second: Migration = ({ number, byKey, own }) => [
  "alter table turns add column runner text",
  `alter table turns add column lease_seconds ${number}`,
  "alter table turns add column leased_until text",
  // A session has any name; one that is longer than names are does not fit into an index.
  `create index turns_session on turns (session, started_at, id) where length(session) <= 200`,
  `create index turns_running on turns (agent, id) where state = 'running'`,

  // In millionths of a dollar and in tokens. A day's rows of an agent lie together: they are added up before each step.
  `create table spending (${scoped}, day text not null, receiver text not null, micros ${number} not null,
    input ${number} not null, read ${number} not null, written ${number} not null, output ${number} not null,
    primary key (agent, day, user_id, receiver))${byKey}`,

  `create table held_calls (id text primary key, ${scoped}, turn text not null, step ${number} not null,
    call text not null, call_digest text not null, tool text not null, input text not null, because text not null,
    at text not null, status text not null, decided_at text, decided_by text, decided_because text, taken_at text,
    ended_at text, result text)`,
  `create unique index held_calls_call on held_calls (agent, user_id, turn, call_digest)`,
  `create index held_calls_scope on held_calls (agent, user_id, status)`,
  ...own[2],
];

/** What a service for many users needs: runs of schedules, chats that are linked to users, what came and what goes out. */
const third: Migration = ({ number, byKey, own }) => [
  `alter table schedules add column missed text not null default 'once'`,
  `alter table schedules add column overlap text not null default 'skip'`,
  `alter table schedules add column most_tries ${number} not null default 3`,
  // The zone its next time was worked out in, where it has none of its own: when the user's changes, the time moves.
  `alter table schedules add column next_zone text`,

  // Where its turns come from: another channel is another conversation. None: it was opened before there was one here.
  "alter table sessions add column channel text",

  // One row for each time a schedule was due: it ran, runs, will run, or says why it did not.
  `create table runs (id text primary key, ${scoped}, schedule text not null, due_at text not null, state text not null,
    tries ${number} not null, next_try_at text, runner text, leased_until text, turn text, because text,
    started_at text, ended_at text)`,
  `create unique index runs_due on runs (schedule, due_at)`,
  `create index runs_scope on runs (agent, user_id, due_at)`,
  `create index runs_open on runs (schedule, due_at) where ended_at is null`,

  `create table links (${scoped}, channel text not null, address text not null, at text not null,
    primary key (agent, channel, address))${byKey}`,
  `create index links_user on links (agent, user_id)`,
  `create table link_codes (digest text primary key, ${scoped}, channel text not null, at text not null,
    expires_at text not null, used_at text)`,

  // What came over a channel, once each by its id there; and what is to be sent over one, each piece once.
  `create table updates (${scoped}, channel text not null, id text not null, address text not null, body text not null,
    at text not null, state text not null, tries ${number} not null, leased_until text, turn text, failure text,
    primary key (agent, channel, id))${byKey}`,
  `create index updates_open on updates (agent, channel, state, at) where state in ('waiting', 'taken')`,
  `create index updates_address on updates (agent, channel, address, at) where state in ('waiting', 'taken')`,
  `create table dispatches (id text primary key, ${scoped}, channel text not null, address text not null,
    body text not null, extra text, at text not null, turn text, state text not null, tries ${number} not null,
    next_try_at text, leased_until text, failure text, sent_at text)`,
  `create index dispatches_open on dispatches (agent, channel, at) where state = 'waiting'`,
  `create index dispatches_address on dispatches (agent, channel, address, at) where state = 'waiting'`,
  `create index dispatches_scope on dispatches (agent, user_id, at)`,
  ...own[3],
];

/** What happened in a turn is looked up by the turn. Whoever records an event may name it as long as they like. */
const fourth: Migration = ({ own }) => [
  `create index events_turn on events (turn, id) where length(turn) <= 200`,
  ...own[4],
];

export const firstMigrations: readonly Migration[] = [first, second, third, fourth];
