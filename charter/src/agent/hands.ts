import type { Scope } from "../amend/amendment.ts";
import { blame } from "../amend/ledger.ts";
import { isFenced } from "../prompt/fence.ts";
import type { SentSpan } from "../prompt/prompt.ts";
import type { Placement, SectionText } from "../prompt/receipt.ts";
import type { Hand } from "../prompt/section.ts";
import type { AmendmentHistory, RecordedAmendment } from "../store/amendments/amendments.ts";
import type { MessageOrigin } from "./replay.ts";

/** A stretch of a section as it was sent: whose words, since which revision, and whether a later update replaced them. */
type HandSpan = SentSpan & { readonly hand: Hand; readonly replaced?: true };

/** An amendment that wrote some of a request's words. */
type HandAmendment = Pick<RecordedAmendment, "section" | "revision" | "operation" | "actor" | "turn" | "at" | "reason">;

/** Sources of hands: the amendments of sections, the scope of each section, and the author of its original text. */
type HandSources = {
  readonly history: Pick<AmendmentHistory, "listWhole">;
  readonly copyOf: (section: string) => Scope;
  readonly originalBy: (section: string) => "charter" | "operator";
};

export type PlacedHands = Omit<Placement, "sections"> & {
  readonly sections: readonly (SectionText & { readonly hands: readonly HandSpan[] })[];
};

/**
 * The hand of every stretch of a request's sections, with the amendments that wrote them: each section's history is read
 * once, whatever of it stands where.
 */
export async function handsIn(
  placements: readonly Placement[],
  sources: HandSources,
): Promise<{ readonly placements: readonly PlacedHands[]; readonly amendments: readonly HandAmendment[] }> {
  const placed = inReadingOrder(placements);
  const told = new Map<string, ToldHistory>();
  for (const [name, upTo] of revisionsIn(placed))
    told.set(name, await readHistory(sources.history, { scope: sources.copyOf(name), section: name, upTo }));
  const amendments = new Map<string, HandAmendment>();
  const withHands = placed.map(({ sections, ...about }, index): PlacedHands => {
    const later = placed.slice(index + 1).filter(({ slot }) => slot === "update");
    return {
      ...about,
      sections: sections.map((words) => {
        const known = told.get(words.name);
        const traced = cutAtAuthors(words, known);
        for (const { revision } of traced) {
          const entry = revision ? known?.entries.get(revision) : undefined;
          if (entry) amendments.set(`${words.name}\n${revision}`, amendmentOf(entry));
        }
        const authored = traced.map((span): Stretch => ({ ...span, hand: handOf(words, span, known, sources) }));
        return { ...words, hands: withReplaced(words, authored, wordsAfter(words.name, later, known)) };
      }),
    };
  });
  return { placements: withHands, amendments: [...amendments.values()] };
}

/** Author of a message; a tool's results have one each. */
export function handsOfMessage(
  message: { readonly role: string; readonly results?: readonly { readonly output: string }[] },
  { kind }: Pick<MessageOrigin, "kind">,
  by: "user" | "stranger",
): readonly Hand[] {
  if (message.results) return message.results.map(({ output }) => (isFenced(output) ? "stranger" : "program"));
  return [kind === "input" ? by : messageHands[kind]];
}

const messageHands: Readonly<Record<Exclude<MessageOrigin["kind"], "input">, Hand>> = {
  section: "program",
  answer: "agent",
  results: "program",
  note: "program",
  summary: "agent",
  schedule: "agent",
  changed: "program",
};

type Placed = Omit<Placement, "sections"> & { readonly sections: readonly SectionText[] };

const order: Readonly<Record<string, number>> = { system: 0, update: 1, state: 2 };

/** Sorts placements as the model reads them: the last update of a section is its current text. */
function inReadingOrder(placements: readonly Placement[]): Placed[] {
  const whole = placements.map((one) => ({
    ...one,
    sections: one.sections.filter((words) => typeof words !== "string"),
  }));
  return whole.sort(
    (one, other) => (order[one.slot] ?? 0) - (order[other.slot] ?? 0) || (one.message ?? -1) - (other.message ?? -1),
  );
}

/** The newest revision of each amended section in a request. */
function revisionsIn(placed: readonly Placed[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { name, spans } of placed.flatMap(({ sections }) => sections))
    for (const { revision } of spans)
      if (revision !== null && revision > (newest.get(name) ?? 0)) newest.set(name, revision);
  return newest;
}

/** The words a history begins with, as far as it is told, and what became of them, oldest first. */
type ToldHistory = {
  readonly original: { readonly text: string; readonly revision: number };
  readonly amendments: readonly { readonly revision: number; readonly after: string }[];
  readonly entries: ReadonlyMap<number, RecordedAmendment>;
};

/** Maximum number of amendments that are searched; older text counts as the oldest one's. */
const furthest = 200;

/** A history may be longer than is looked at, and words in it may be erased: what came before is then one text. */
async function readHistory(
  history: HandSources["history"],
  { scope, section, upTo }: { readonly scope: Scope; readonly section: string; readonly upTo: number },
): Promise<ToldHistory> {
  const rows = await history.listWhole(scope, section, { limit: furthest, before: upTo + 1 });
  const entries = new Map(rows.map((row) => [row.revision, row]));
  const newestFirst: { revision: number; after: string }[] = [];
  let before: string | null = null;
  for (const row of rows) {
    if (row.after === null) break;
    newestFirst.push({ revision: row.revision, after: row.after });
    before = row.before;
    if (before === null) break;
  }
  const amendments = newestFirst.reverse();
  const [first, ...others] = amendments;
  if (first === undefined) return { original: { text: "", revision: upTo }, amendments: [], entries };
  if (before === null)
    return { original: { text: first.after, revision: first.revision }, amendments: others, entries };
  const reachesBack = rows.length < furthest;
  return {
    original: { text: before, revision: reachesBack ? first.revision - 1 : first.revision },
    amendments,
    entries,
  };
}

/** No revision: what rendering made of a section's words, such as a backslash before what looked like a heading. */
const rendered = -1;

/** The spans of a section, each stretch with the revision that wrote it, and not the last that changed anything. */
function cutAtAuthors({ spans, text }: SectionText, told: ToldHistory | undefined): SentSpan[] {
  const out: SentSpan[] = [];
  let at = 0;
  for (let index = 0; index < spans.length; index++) {
    const span = spans[index] as SentSpan;
    const stretch = text.slice(at, at + span.length);
    at += span.length;
    if (!span.revision || !told) {
      out.push(span);
      continue;
    }
    const upTo = told.amendments.filter(({ revision }) => revision <= (span.revision ?? 0));
    const authored = blame(told.original, [...upTo, { revision: rendered, after: stretch }]);
    const known = authored.filter(({ revision }) => revision !== rendered);
    if (known.length === 0) {
      out.push(span);
      continue;
    }
    // Text that rendering added belongs to the piece before it, or to the first one.
    let revision = known[0]?.revision as number;
    for (const piece of authored) {
      if (piece.revision !== rendered) revision = piece.revision;
      const last = out.at(-1);
      const length = piece.end - piece.start;
      if (last && piece.start > 0 && last.revision === revision)
        out[out.length - 1] = { ...last, length: last.length + length };
      else out.push({ ...span, revision, length });
    }
  }
  return out;
}

function handOf(
  { name, mutability, layer }: SectionText,
  { trust, source, revision }: SentSpan,
  told: ToldHistory | undefined,
  { originalBy }: HandSources,
): Hand {
  if (trust === "foreign") return "stranger";
  if (source === "delivery" || layer === "delivery") return "program";
  if (revision !== null) return revision === 0 ? originalBy(name) : (told?.entries.get(revision)?.actor ?? "program");
  if (mutability === "fixed" || source === "charter" || source === "fallback") return "charter";
  return trust === "user" ? "user" : "program";
}

function amendmentOf({ section, revision, operation, actor, turn, at, reason }: RecordedAmendment): HandAmendment {
  return { section, revision, operation, actor, turn, at, reason };
}

/** Returns a section's text by its last update: null if that removed it, undefined if there is no update. */
function wordsAfter(name: string, later: readonly Placed[], told: ToldHistory | undefined): string | null | undefined {
  const update = later.flatMap(({ sections }) => sections).findLast((one) => one.name === name);
  if (!update) return undefined;
  if (update.layer === "delivery") return null;
  const revision = Math.max(-1, ...update.spans.map((span) => span.revision ?? -1));
  const after = told?.amendments.find((one) => one.revision === revision)?.after;
  if (after !== undefined) return after;
  // An update of what is never amended tells all of it, or only what changed; then the rest is not known here.
  return update.whole === undefined || update.whole === null ? update.text : undefined;
}

type Stretch = SentSpan & { readonly hand: Hand };

const hasWords = /[\p{L}\p{N}]/u;

/** The stretches of a section, those that a later update replaced marked: what does not stand in its words of now. */
function withReplaced({ text }: SectionText, spans: readonly Stretch[], now: string | null | undefined): HandSpan[] {
  if (now === undefined) return [...spans];
  const gone = now === null ? [{ start: 0, end: text.length, revision: 1 }] : notIn(text, now);
  const out: HandSpan[] = [];
  let at = 0;
  for (const span of spans) {
    const [from, to] = [at, at + span.length];
    at = to;
    // Headings and the words of delivery stand whatever a section says.
    if (span.hand === "charter" || span.hand === "program") {
      out.push(span);
      continue;
    }
    let done = from;
    for (const { start, end } of gone) {
      const [first, last] = [Math.max(start, from), Math.min(end, to)];
      if (first >= last || !hasWords.test(text.slice(first, last))) continue;
      if (first > done) out.push({ ...span, length: first - done });
      out.push({ ...span, length: last - first, replaced: true });
      done = last;
    }
    if (to > done) out.push({ ...span, length: to - done });
  }
  return out;
}

function notIn(text: string, now: string) {
  return blame({ text: now, revision: 0 }, [{ revision: 1, after: text }]).filter(({ revision }) => revision === 1);
}
