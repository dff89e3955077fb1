import { code, count, data, digest, id, json, name, oneOf, text, time } from "./home/column.ts";
import { table } from "./home/table.ts";

export const agents = table(
  "agents",
  {
    of: "store",
    key: ["name"],
    owner: { agent: "name" },
    fence: { see: "name = {agent}" },
    erase: { blank: { unless: "settings = '{}' and label is null" } },
    exported: false,
  },
  {
    name: name(),
    charter: name(),
    model: name().nullable(),
    settings: json(),
    frozen: oneOf("agent", "operator").nullable(),
    createdAt: time(),
    updatedAt: time(),
    /** What people call it. */
    label: text().nullable(),
    /** When it was removed: its name stays in the digests of every hash chain. */
    removedAt: time().nullable(),
    /** The models that are asked where the first cannot answer; null is none. */
    fallbacks: data<readonly string[]>().nullable(),
  },
);

/** What an agent with a life of its own needs: its state and means. */
export const automata = table(
  "automata",
  { of: "agent", key: ["agent"], isByKey: true },
  {
    state: code(),
    stateAt: time(),
    turn: id().nullable(),
    tier: code(),
    goodChecks: count(),
    granted: count().nullable(),
    spentBefore: count(),
    asleepUntil: time().nullable(),
    ownTurnAt: time().nullable(),
    awaySince: time().nullable(),
    awayBecause: text().nullable(),
    awayTurn: id().nullable(),
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    earnedOn: time().nullable(),
    earned: count(),
  },
);

/** Of agents with a life of their own: what was ever spent, and how many turns there were. */
export const totals = table(
  "totals",
  {
    of: "agent",
    key: ["agent"],
    isByKey: true,
    // A user's turn counts among its agent's, and so does what it cost; of the agent's means it changes nothing.
    fence: { change: "agent = {agent}" },
    erase: { blank: "keep" },
  },
  { micros: count(), turns: count() },
);

const learned = { none: "what was learned about models, and what a chain can be asked again" };

/** How many tokens a model takes where it is served, and how that is known. Nobody's words, and of no agent. */
export const windows = table(
  "windows",
  { of: "store", key: ["model", "address"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), tokens: count(), how: code(), at: time() },
);

/** Which kinds a model refused where it is served. Nobody's words, and of no agent. */
export const refusedKinds = table(
  "refused_kinds",
  { of: "store", key: ["model", "address", "kind"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), kind: code(), at: time() },
);

/** What each tool of another server is offered as, and what is held in its place, with their digests. */
export const toolPins = table(
  "tool_pins",
  {
    of: "agent",
    key: ["agent", "server", "tool"],
    indexes: { tool_pins_id: "(id)", tool_pins_waiting: "(agent) where status = 'waiting'" },
  },
  {
    server: name(),
    tool: name(),
    id: id(),
    status: code(),
    digest: digest().nullable(),
    definition: json().nullable(),
    nextDigest: digest().nullable(),
    nextDefinition: json().nullable(),
    because: text(),
    at: time(),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decidedBecause: text().nullable(),
  },
);

/** What goes out with an amendment, once each by its id. In a user's scope it is only seen. */
export const publications = table(
  "publications",
  {
    of: "agent",
    key: ["agent", "id"],
    isByKey: true,
    indexes: {
      publications_waiting: "(next_try_at, agent) where state = 'waiting'",
      publications_section: "(agent, section, revision)",
    },
    fence: { add: "{own}", change: "{own}" },
  },
  {
    id: id(),
    section: name(),
    revision: count(),
    address: name(),
    createdAt: count(),
    body: text(),
    at: time(),
    state: code(),
    tries: count(),
    nextTryAt: time().nullable(),
    taken: data(),
    missed: json(),
    settledAt: time().nullable(),
  },
);

/** The newest that was seen there. Without an id: something of the agent's own is there, and could not be read. */
export const heads = table(
  "heads",
  {
    of: "agent",
    key: ["agent", "section", "address"],
    isByKey: true,
    fence: { add: "{own}", change: "{own}" },
  },
  {
    section: name(),
    address: name(),
    id: id().nullable(),
    createdAt: count(),
    digest: digest().nullable(),
    place: name().nullable(),
    body: text().nullable(),
    at: time(),
  },
);
