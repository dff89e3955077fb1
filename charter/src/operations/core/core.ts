import { coreReport, coreReportOrWhy, publishWaiting } from "../../host/core-memory.ts";
import { Problem } from "../../prompt/problem.ts";
import { coreSlug, isSlug } from "../../sources/core-memory/memory-key.ts";
import { either, flag, text } from "../field.ts";
import { type Output, operation } from "../operation.ts";
import { columns } from "../print/columns.ts";
import { coreStatusLines, eventTime, memoryFacts, memoryLines, oneReason, relayLines } from "../print/core-memory.ts";
import { textFor } from "../print/plain-text.ts";
import { publicationLines } from "../print/publication.ts";
import { coreMemory, coreStanding, memory, memoryList, publishResult, residentName } from "./core-fields.ts";
import { coreHistory } from "./core-history.ts";
import { coreOf } from "./resident.ts";
import { setCore } from "./set-core.ts";

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
    // What is wrong with a key is said as such where it can be mended.
    const report = context.caller.by === "command" ? coreReport : coreReportOrWhy;
    return report(context.store, agent, memory);
  },
  lines: (report) => told(report, coreStatusLines(report)),
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
  lines: (found) => told(found, "slug" in found ? memoryLines(found) : coreStatusLines(found)),
});

/** The words on standard output and nothing else; where they are from, or why there are none, on standard error. */
function told(
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

const noteBirth = operation({
  name: "core.new",
  says: "Say that nothing was ever written with an agent's key",
  about:
    "For a key that was made elsewhere: then its core memory can begin though a relay is away. Where one is found all the same, that one counts.",
  command: "core new",
  examples: [["charter core new", "say that nothing was ever written with its key, made elsewhere"]],
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
    out: [`On record: nothing was ever written with the key of “${report.agent}”.`, ...coreStatusLines(report)],
    code: report.status === "empty" ? 0 : 1,
  }),
});

export const operations = [getCore, getMemory, setCore, coreHistory, listMemories, showRelays, publish, noteBirth];
