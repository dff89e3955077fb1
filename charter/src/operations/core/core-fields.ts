import { agent, notice } from "../common-fields.ts";
import { flag, list, number, object, oneOf, text, time, whole } from "../field.ts";
import { publication } from "../proposals/proposal-fields.ts";

/** Whose core memory it is. */
export const residentName = agent
  .says("The agent (default: the only one that has a core memory on relays).")
  .optional();

const troubles = ["unreachable", "late", "refused", "closed", "cut", "nonsense"] as const;

const event = {
  id: text("The event's id, in hex."),
  createdAt: number("Its time, in seconds since 1970."),
};
const relayName = text().example("wss://relay.example.org");
const relays = list(
  object({
    relay: relayName,
    status: oneOf(
      ["newest", "behind", "nothing", "unusable", ...troubles],
      "`newest`, `behind` or `nothing`: what it has. `unusable`: only events that cannot be used. The others: why its answer is not known.",
    ),
    head: object(event, "The newest valid event it has.").nullable(),
    lagSeconds: number("How much older that is than the newest of all.").nullable(),
    reason: text().nullable(),
  }).named("MemoryRelay", "How one relay of a core memory does."),
);
const reason = text("Why it is unavailable.").nullable();
const relay = text("The first relay that has it.");

const standing = {
  agent: text(),
  status: oneOf(
    ["present", "empty", "unavailable"],
    "`empty` only where every relay that answered has nothing, and nothing was ever seen.",
  ),
  reason,
  revision: whole("The revision of the section `core` that this is."),
  npub: text("The agent's public key; null where its key cannot be read.").nullable(),
  head: object(
    { ...event, relay, author: text("Who signed it, as an npub.") },
    "The newest valid event on the relays.",
  ).nullable(),
  relays,
  waiting: list(
    object({
      ...event,
      revision: whole(),
      at: time(),
      tries: whole(),
      nextTryAt: time().nullable(),
      missed: list(object({ place: text(), reason: text() })),
    }),
    "Events that no relay has confirmed yet; they are sent again.",
  ),
  conflicts: list(
    object({
      id: text("Our event."),
      revision: whole(),
      by: text("The event that is current instead.").nullable(),
      at: time(),
    }),
    "The newest 10, newest first. Both texts are in the section's history.",
  ),
  notices: list(notice),
};

export const coreStanding = object(standing);

export const coreMemory = object({ ...standing, text: text().nullable() }).named(
  "CoreMemory",
  "A core memory: on its relays, on record, and what still has to be sent.",
);

export const publishResult = object({
  agent: text(),
  publication: publication.says("Null: nothing waited.").nullable(),
}).named("PublishResult");

/** A memory besides the core. */
export const memory = object({
  slug: text(),
  status: oneOf(["present", "empty", "unavailable", "deleted"], "`deleted`: that is on record in its place."),
  reason,
  text: text().nullable(),
  head: object({ ...event, relay }).nullable(),
  relays,
});

export const memoryList = object({
  agent: text(),
  memories: list(object({ slug: text(), text: text("Null: it was deleted.").nullable(), ...event, relay })),
  whole: flag("A relay answered, and none that did may have more."),
  truncated: list(text(), "Relays that may have more than they gave."),
  relays: list(
    object({
      relay: relayName,
      trouble: object({ kind: oneOf(troubles), reason: text() }).optional(),
      head: object(event).optional(),
      unusable: whole("How many events it gave that cannot be used."),
      fault: text("What is wrong with the first of them.").optional(),
    }),
  ),
});
