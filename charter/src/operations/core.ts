import { coreReport, coreReportOrWhy, noCoreMemory, publishWaiting } from "../host/core-memory.ts";
import { defined } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import { coreSlug, isSlug } from "../sources/core-memory/memory-key.ts";
import type { Store } from "../store/store.ts";
import { agent, either, flag, list, notice, number, object, oneOf, text, time, whole } from "./field.ts";
import { type OperationContext, type Output, operation } from "./operation.ts";
import { colours, columns, timeText } from "./print/columns.ts";
import { coreStatusLines, eventTime, memoryFacts, memoryLines, oneReason, relayLines } from "./print/core-memory.ts";
import { textFor } from "./print/plain-text.ts";
import { changes, publicationLines } from "./print/verdict.ts";
import { publication } from "./proposal-fields.ts";
import { outcome, outcomeLines, propose, wishFields } from "./sections/amend.ts";
import { listHistory, withCoreEvents } from "./sections/sections.ts";

/** Agent whose core memory is meant. */
const residentName = agent.says("The agent (default: the only one that has a core memory on relays).").optional();

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

const coreStanding = object(standing);

export const coreMemory = object({ ...standing, text: text().nullable() }).named(
  "CoreMemory",
  "A core memory: on its relays, on record, and what still has to be sent.",
);

const publishResult = object({
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

const memoryList = object({
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

const { section: _, user: __, ...wish } = wishFields;

/**
 * Changes a core memory like any other section: guards check the change, it enters the history, and it is published from there.
 */
const setCore = operation({
  name: "core.set",
  says: "Change a core memory",
  command: "core set <content?>",
  examples: [
    ['charter core set "You are Ada."', "change it, by an amendment, and publish it"],
    ["charter core set --content-file core.md", "the same from a file; - is standard input"],
  ],
  notes:
    "A change is an amendment: guards check it, and the history is kept. Each relay that did not take it is named. If another's change came first, both texts are shown.",
  who: "operator",
  input: { ...wish, agent: residentName, content: text("The new text.").option("text").orFile() },
  answer: outcome,
  run: async (context, { agent, content, ...given }) =>
    propose(
      context,
      { ...given, agent: await residentIn(context.store, agent), section: coreSlug },
      { kind: "rewrite", content },
    ),
  lines: (answer) => outcomeLines(answer, {}),
});

const { limit, before, words } = listHistory.input;

/** Reads the store alone: no relay is asked, and no key is needed. */
const coreHistory = operation({
  name: "core.history",
  says: "List the revisions of a core memory, and the event of each",
  command: "core history",
  examples: [["charter core history", "list its revisions, the event of each, and whether it was published"]],
  who: "operator",
  input: { agent: residentName, limit, before, words },
  answer: listHistory.answer,
  run: async ({ store }, { agent: name, limit, before }) => {
    const agent = await residentIn(store, name);
    const history = await store.history.listWhole({ agent }, coreSlug, { limit, ...defined({ before }) });
    const amendments = await withCoreEvents(store, history);
    const more = amendments.length === limit && (amendments.at(-1)?.revision ?? 1) > 1;
    return { agent, user: null, section: coreSlug, amendments, more };
  },
  lines: ({ agent, amendments, more }, { words }) => {
    if (amendments.length === 0) return [`The core memory of ${agent} has not been amended.`];
    const cells = amendments.map(({ revision, at, actor, event, reason, erasedAt }) => [
      String(revision),
      timeText(at),
      actor,
      event?.id.slice(0, 12) ?? "–",
      event?.state ?? "–",
      erasedAt === null ? (reason ?? "") : `(erased ${timeText(erasedAt)})`,
    ]);
    const names = ["revision", "time (UTC)", "by", "event", "relays", "reason"];
    const [head = "", ...list] = columns(names, cells, process.stdout);
    const diffs = amendments.flatMap(({ before, after }, at) => [
      list[at] as string,
      ...(words && before !== null && after !== null ? changes(before, after, coreSlug).slice(2) : []),
    ]);
    const { dim } = colours(process.stdout);
    return [head, ...diffs, ...(more ? [dim(`There is more: --before ${amendments.at(-1)?.revision}`)] : [])];
  },
});

const getCore = operation({
  name: "core.get",
  says: "Get a core memory and the state of its relays",
  about: "Asks all relays, for three seconds at most. What was changed elsewhere becomes the next revision.",
  route: "GET /agents/{agent}/core",
  command: "core get",
  examples: [["charter core get", "print it; where it comes from, or why it is not there, on standard error"]],
  notes:
    "The key is where charter.config.ts says; commands run that file after charter trust: docs/resident.md\nExit code 0: done. 1: empty, unavailable, refused, held, a conflict, or not published yet.",
  who: "operator",
  input: { agent: residentName },
  answer: coreMemory,
  statuses: { 200: "The current state." },
  refuses: [422],
  run: async (context, { agent: name }) => {
    const { agent, memory } = await coreOf(context, name);
    // A fault of the key is thrown where its owner can mend it, at the command; elsewhere it is part of the report.
    const report = context.caller.by === "command" ? coreReport : coreReportOrWhy;
    return report(context.store, agent, memory);
  },
  lines: (report) => printText(report, coreStatusLines(report)),
});

const getMemory = operation({
  name: "core.memory",
  says: "Get a memory besides the core",
  command: "core get <slug>",
  examples: [["charter core get mem/people/bo", "print another memory"]],
  who: "operator",
  input: { agent: residentName, slug: text("The name of a memory.").example("mem/people/bo") },
  answer: either(memory, coreMemory),
  run: async (context, { agent: name, slug }) => {
    if (!isSlug(slug))
      throw new Problem(
        "bad-slug",
        `“${slug}” is no name of a memory.`,
        "Give core, or a name as in mem/people/ada: small letters, digits, “-” and “_”.",
      );
    const { agent, memory } = await coreOf(context, name);
    if (slug === coreSlug) return coreReport(context.store, agent, memory);
    return memoryFacts(slug, await memory.read(slug));
  },
  lines: (found) => printText(found, "slug" in found ? memoryLines(found) : coreStatusLines(found)),
});

/** Prints the text alone on standard output; where it is from, or why there is none, on standard error. */
function printText(
  { text, status }: { readonly text: string | null; readonly status: string },
  err: readonly string[],
): Output {
  const out = text === null ? [] : [textFor(process.stdout, text.replace(/\n$/, ""))];
  return { out, err, code: status === "present" ? 0 : 1 };
}

const listMemories = operation({
  name: "core.list",
  says: "List the memories besides the core",
  command: "core list",
  examples: [["charter core list", "list the memories besides it; --all: deleted ones, too"]],
  who: "operator",
  input: { agent: residentName, all: flag("Also memories that were deleted.").optional() },
  answer: memoryList,
  run: async (context, { agent: name, all }) => {
    const { agent, memory } = await coreOf(context, name);
    const { heads, relays, truncated } = await memory.list();
    const memories = heads
      .filter(({ slug, text }) => slug !== coreSlug && (all || text !== null))
      .map(({ slug, text, event, relay }) => ({ slug, text, id: event.id, createdAt: event.created_at, relay }));
    const answered = relays.filter(({ trouble }) => trouble === undefined);
    return { agent, memories, whole: answered.length > 0 && truncated.length === 0, truncated, relays };
  },
  lines: ({ agent, memories, whole, truncated, relays }) => {
    const cells = memories.map(({ slug, text, id, createdAt }) => [
      slug,
      eventTime(createdAt),
      id.slice(0, 12),
      text ?? "(deleted)",
    ]);
    const none = whole ? `“${agent}” has no memories besides its core memory.` : "No memory was found.";
    const table = columns(["memory", "time (UTC)", "event", "words"], cells, process.stdout);
    return {
      out: memories.length === 0 ? [none] : table,
      err: [
        ...relays.flatMap(({ relay, trouble }) => (trouble ? [oneReason(relay, trouble)] : [])),
        ...truncated.map((relay) => `${relay} may have more than it gave: the list may be short.`),
      ],
      code: whole ? 0 : 1,
    };
  },
});

const showRelays = operation({
  name: "core.relays",
  says: "Show how each relay of a core memory does",
  command: "core relays",
  examples: [["charter core relays", "each relay: what it has, and how far that is behind the newest"]],
  who: "operator",
  input: { agent: residentName },
  answer: coreStanding,
  run: async (context, { agent: name }) => {
    const { agent, memory } = await coreOf(context, name);
    const { text: _, ...report } = await coreReport(context.store, agent, memory);
    return report;
  },
  lines: (report) => ({ out: relayLines(report), code: report.status === "unavailable" ? 1 : 0 }),
});

const publish = operation({
  name: "core.publish",
  says: "Send again what no relay has taken, or what they have lost",
  about: "The same event, under the same id. To change the text, propose a change of the section `core`.",
  route: "POST /agents/{agent}/core/publish",
  command: "core publish",
  examples: [["charter core publish", "send again what no relay has taken yet, or what some have lost or missed"]],
  who: "operator",
  input: { agent: residentName },
  answer: publishResult,
  statuses: { 200: "The outcome." },
  refuses: [422],
  run: async (context, { agent: name }) => {
    const { agent, memory } = await coreOf(context, name);
    return { agent, publication: await publishWaiting(context.store, agent, memory) };
  },
  lines: ({ agent, publication }) => ({
    out: publication ? publicationLines(publication, coreSlug) : [`Nothing of “${agent}” waits to be published.`],
    code: publication === null || publication.state === "published" ? 0 : 1,
  }),
});

const move = operation({
  name: "core.move",
  says: "Take a core memory along to another key or owner",
  about: "Publishes its text for the key and owner that are set now, where the relays have none for these yet.",
  command: "core move",
  examples: [["charter core move", "after another key or owner was set: publish the words it had for these, too"]],
  who: "operator",
  input: { agent: residentName },
  answer: publishResult,
  run: async (context, { agent: name }) => {
    const { agent, memory } = await coreOf(context, name);
    return { agent, publication: (await memory.move()) ?? null };
  },
  lines: ({ agent, publication }) => ({
    out: publication
      ? publicationLines(publication, coreSlug)
      : [`Nothing to take along: “${agent}” has no words that only another key or owner has. See charter core relays.`],
    code: publication?.state === "published" ? 0 : 1,
  }),
});

const noteBirth = operation({
  name: "core.new",
  says: "Say that a core memory begins with this key and owner",
  about:
    "For a key that was made elsewhere: then its core memory can begin though a relay is away. For another key or owner: it begins anew, and the words from before stay in the history. Where one is found all the same, that one counts.",
  command: "core new",
  examples: [
    ["charter core new", "say that nothing was ever written with its key, made elsewhere; or that it begins anew"],
  ],
  who: "operator",
  input: { agent: residentName },
  answer: coreStanding,
  run: async (context, { agent: name }) => {
    const { agent, memory } = await coreOf(context, name);
    await memory.noteBirth();
    const { text: _, ...report } = await coreReport(context.store, agent, memory);
    return report;
  },
  lines: (report) => ({
    out: [`On record: the core memory of “${report.agent}” begins with its key and owner.`, ...coreStatusLines(report)],
  }),
});

export const operations = [
  getCore,
  getMemory,
  setCore,
  coreHistory,
  listMemories,
  showRelays,
  publish,
  move,
  noteBirth,
];

/** Returns the name of the given agent, or of the only one that has a core memory on relays. */
async function residentIn(store: Store, name: string | undefined): Promise<string> {
  if (name !== undefined) return (await store.agents.get(name)).name;
  const residents = (await store.agents.list()).filter(({ settings }) => settings.memory);
  const names = residents.map((one) => one.name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new Problem(
    "usage",
    only === undefined ? "No agent here has a core memory on relays." : "Several agents have a core memory.",
    only === undefined
      ? "Set one up with charter agents add: docs/resident.md."
      : `Name one with --agent: ${names.join(", ")}.`,
  );
}

/** Finds an agent and its core memory. */
async function coreOf(
  { store, host }: OperationContext,
  name: string | undefined,
): Promise<{ readonly agent: string; readonly memory: CoreMemory }> {
  const agent = await residentIn(store, name);
  const memory = await (await host()).coreMemory(agent);
  if (memory) return { agent, memory };
  throw noCoreMemory(agent);
}
