import type { PublicationOutcome } from "../amend/amendment.ts";
import type { CharterRecord } from "./charter-record.ts";
import { code, count, data, digest, id, json, name, oneOf, text, time } from "./home/column.ts";
import { table } from "./home/table.ts";

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

const learned = { none: "what was learned about models, and what a chain can be asked again" };

/** How many tokens a model takes where it is served, and how that is known. Nobody's words, and of no agent. */
export const windows = table(
  "windows",
  { of: "store", key: ["model", "address"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), tokens: count(), how: oneOf("asked", "said", "guessed"), at: time() },
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
    /** New with everything that is held: who decides about an id decides about all that was shown under it. */
    id: id(),
    server: name(),
    tool: name(),
    status: oneOf("pinned", "waiting", "rejected"),
    /** What stands: its definition, as JSON, and the digest of that. Nothing stood before, where it was held at first sight. */
    digest: digest().nullable(),
    definition: text().nullable(),
    /** What is held. */
    nextDigest: digest().nullable(),
    nextDefinition: text().nullable(),
    /** Why it is held. */
    reasons: json<readonly string[]>(),
    at: time(),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decisionReason: text().nullable(),
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
    /** The revision that it publishes. */
    revision: count(),
    address: name(),
    createdAt: count(),
    /** It is let go of when it is settled and a later one is made. */
    body: text(),
    at: time(),
    /** `replaced`: a later one of our own went out instead. */
    state: oneOf("waiting", "published", "superseded", "replaced"),
    tries: count(),
    nextTryAt: time().nullable(),
    taken: data<PublicationOutcome["taken"]>(),
    missed: json<PublicationOutcome["missed"]>(),
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
    /** The SHA-256 of its text. */
    digest: digest().nullable(),
    /** Who had it. */
    place: name().nullable(),
    /** As it was signed, so that it can be given back to whoever has lost it. */
    body: text().nullable(),
    at: time(),
  },
);
