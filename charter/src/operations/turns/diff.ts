import type { Scope } from "../../amend/amendment.ts";
import { unified } from "../../prompt/diff.ts";
import type { Receipt, SentSection } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import { flag, list, object, oneOf, scope, text, time, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { colours, oneLine, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { type FoundStep, findStep } from "./replay.ts";

const difference = {
  what: oneOf(["changed", "came", "went", "moved"]),
  mutability: oneOf(["fixed", "live", "amendable"]),
  stability: oneOf(["stable", "event", "state"]),
  revisions: object({ before: whole().nullable(), after: whole().nullable() }),
};
const amendment = object({
  scope,
  section: text(),
  revision: whole(),
  operation: text(),
  actor: oneOf(["agent", "user", "operator"]),
  turn: text().nullable(),
  at: time(),
  reason: text().nullable(),
  previous: text(),
  digest: text(),
  key: text().optional(),
  erasedAt: time().nullable(),
});
const broken = object(
  {
    slot: text(),
    byte: whole(),
    section: text(),
    ...difference,
    amendments: list(amendment, "Newest first; null where no amendment can have done it.").nullable(),
  },
  "The first byte that differs, and who changed it; null where none does.",
);
const sent = object({ turn: text(), step: whole(), at: time(), digest: text(), bytes: whole() });
const answer = object({
  identical: flag(),
  before: sent,
  after: sent,
  break: broken.nullable(),
  sections: list(
    object({ section: text(), slot: text(), ...difference, whose: oneOf(["agent", "user"]), diff: text() }),
  ),
}).named("PromptDiff", "What differs between two prompts that were sent.");

type PromptDiff = (typeof answer)["holds"];
type BreakReport = (typeof broken)["holds"];

const diffTurns = operation({
  name: "turns.diff",
  says: "Compare two prompts that were sent",
  about:
    "Section by section, with the first byte that differs and the amendment that changed it: what caused a cache miss.",
  command: "diff <turn> <other>",
  examples: [
    ["charter diff <turn> <turn>", "their last steps"],
    ["charter diff <turn>/1 <turn>/2", "two steps"],
  ],
  notes: "Exit code 0: identical. 1: there are differences.",
  who: "operator",
  input: {
    turn: text("The two turns; a step of one is named as <turn>/<step>."),
    other: text("The two turns; a step of one is named as <turn>/<step>."),
  },
  answer,
  run: async ({ store }, { turn, other }) => {
    const [before, after] = [await findStep(store, turn), await findStep(store, other)];
    const { identical, sections, ...found } = comparePrompts(before, after);
    const about = ({ turn, step, at, digest, slots }: FoundStep) => ({
      ...{ turn, step, at, digest },
      bytes: slots.reduce((sum, slot) => sum + Buffer.byteLength(slot.text), 0),
    });
    const broken = await whoBroke(store, { identical, sections, ...found }, before, after);
    return { identical, before: about(before), after: about(after), break: broken, sections };
  },
  lines: (found) => ({ out: diffLines(found), code: found.identical ? 0 : 1 }),
});

/** Maximum number of amendments between two turns that are listed; `charter history` has them all. */
const maxAmendments = 20;

async function whoBroke(
  store: Store,
  found: Comparison,
  before: FoundStep,
  after: FoundStep,
): Promise<BreakReport | null> {
  const changed = found.sections.find(({ section }) => section === found.break?.section);
  if (!found.break || !changed) return null;
  const { what, mutability, stability, revisions, whose } = changed;
  const scopes = [before, after].map(({ scope }) => (whose === "agent" ? { agent: scope.agent } : scope));
  const [scope, same] = [scopes[0] as Scope, JSON.stringify(scopes[0]) === JSON.stringify(scopes[1])];
  const about = { ...found.break, what, mutability, stability, revisions };
  if (mutability !== "amendable" || !same) return { ...about, amendments: null };
  const [from, to] = [revisions.before ?? 0, revisions.after ?? 0].sort((a, b) => a - b) as [number, number];
  const page = { before: to + 1, limit: Math.min(to - from, maxAmendments) };
  const amendments = to === from ? [] : await store.history.list(scope, changed.section, page);
  return { ...about, amendments };
}

function diffLines({ before, after, break: prefixBreak, sections }: PromptDiff): string[] {
  const { dim } = colours(process.stdout);
  const stepText = ({ turn, step, at }: PromptDiff["after"]) => `${turn}/${step} (${timeText(at)})`;
  const heading = dim(`${stepText(before)} → ${stepText(after)}`);
  if (!prefixBreak) return [heading, `The two prompts are identical, all ${after.bytes} bytes.`];
  return [heading, ...brokenLines(prefixBreak), ...sections.flatMap(sectionLines)];
}

function brokenLines({ slot, byte, section, ...broken }: BreakReport): string[] {
  const { red } = colours(process.stdout);
  const { amendments, revisions } = broken;
  const amendmentLines = (amendments ?? []).map(
    ({ revision, actor, at, turn, operation, reason }) =>
      `  revision ${revision}: ${operation} by ${actor}, ${timeText(at)} UTC${turn ? `, in turn ${turn}` : ""}${reason ? `: ${oneLine(reason)}` : ""}`,
  );
  const between = Math.abs((revisions.after ?? 0) - (revisions.before ?? 0)) - amendmentLines.length;
  const rest = amendments && between > 0 ? [hintsHere(`  and ${between} more: charter history ${section}`)] : [];
  return [
    red(`The prefix broke at byte ${byte} of slot “${slot}”, in “${section}”: ${why(broken)}.`),
    ...amendmentLines,
    ...rest,
  ];
}

function why({
  what,
  mutability,
  stability,
  amendments,
  revisions,
}: Omit<BreakReport, "slot" | "byte" | "section">): string {
  if (what === "moved") return "its place is another";
  if (stability === "state") return "it is state, and is told when it changes";
  if (mutability === "live") return "it is generated per turn";
  if (mutability === "fixed") return "the charter's fixed text is another";
  if (amendments === null) return "the turns are not of the same agent and user, and each has its own";
  if (amendments.length === 0) return `its text is that of revision ${revisions.after ?? revisions.before} in both`;
  return amendments.length === 1 ? "it was amended" : "it was amended in between";
}

function sectionLines({ section, what, slot, mutability, stability, revisions, diff }: SectionDifference): string[] {
  const paint = colours(process.stdout);
  const colour = { changed: paint.yellow, came: paint.green, went: paint.red, moved: paint.cyan }[what];
  const amended =
    mutability === "amendable" && revisions.before !== revisions.after
      ? `, revision ${revisions.before ?? "–"} → ${revisions.after ?? "–"}`
      : "";
  const kind = stability === "state" ? `${mutability}, state` : mutability;
  const diffText = diff
    .split("\n")
    .slice(2, -1)
    .map((line) => (process.stdout.isTTY ? oneLine(line) : line))
    .map((line) => (line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line));
  return ["", `${colour(what)} ${section} ${paint.dim(`(${kind}, slot ${slot}${amended})`)}`, ...diffText];
}

export const operations = [diffTurns];

/** A prompt that was sent, as `store.steps.replay` returns it. */
export type SentPrompt = { readonly receipt: Receipt; readonly text: (section: SentSection) => string };

/** A section that differs between two prompts. */
export type SectionDifference = Pick<SentSection, "mutability" | "stability" | "whose"> & {
  readonly section: string;
  /** Current slot; the former one if the section is gone. */
  readonly slot: string;
  readonly what: "changed" | "came" | "went" | "moved";
  readonly revisions: { readonly before: number | null; readonly after: number | null };
  readonly diff: string;
};

/** First byte of a slot that differs, and the section it belongs to. */
type PrefixBreak = { readonly slot: string; readonly byte: number; readonly section: string };

/** Differences between two prompts. */
export type Comparison = {
  /** Shows that both have the same bytes in the same slots. */
  readonly identical: boolean;
  /** Position up to which a cache of the first prompt serves the second. */
  readonly break: PrefixBreak | null;
  readonly sections: readonly SectionDifference[];
};

/** Compares two prompts that were sent, section by section, and finds where a cached prefix ends. */
export function comparePrompts(before: SentPrompt, after: SentPrompt): Comparison {
  const [was, is] = [placesOf(before), placesOf(after)];
  const sections = differences(was, is);
  const broken = findBreak(before, after, was, is, new Set(sections.map(({ section }) => section)));
  return { identical: broken === null, break: broken, sections };
}

type Place = {
  readonly slot: string;
  /** Index of its slot. */
  readonly order: number;
  readonly sent: SentSection;
  readonly text: string;
  /** Offset in UTF-8 bytes, within the slot. */
  readonly start: number;
  readonly end: number;
  /** Section before it in the same prompt. */
  readonly follows: string | undefined;
};

const bytesOf = (text: string) => new TextEncoder().encode(text);

function placesOf({ receipt, text }: SentPrompt): Map<string, Place> {
  const places = new Map<string, Place>();
  let follows: string | undefined;
  for (const [order, { slot, sections }] of receipt.slots.entries()) {
    let start = 0;
    for (const sent of sections) {
      const words = text(sent);
      const end = start + bytesOf(words).length;
      places.set(sent.name, { slot, order, sent, text: words, start, end, follows });
      start = end;
      follows = sent.name;
    }
  }
  return places;
}

/** Lists differing sections in the order of the later prompt; removed ones at their former position. */
function differences(was: Map<string, Place>, is: Map<string, Place>): SectionDifference[] {
  const out: SectionDifference[] = [];
  const names = [...was.keys()];
  const leaveUpTo = (end: number) => {
    for (const name of names.splice(0, end))
      if (!is.has(name)) out.push(sectionDifference("went", was.get(name), undefined));
  };
  for (const [name, now] of is) {
    const then = was.get(name);
    if (then) leaveUpTo(names.indexOf(name) + 1);
    if (!then) out.push(sectionDifference("came", undefined, now));
    else if (then.sent.digest !== now.sent.digest) out.push(sectionDifference("changed", then, now));
    else if (then.slot !== now.slot || neighbour(was, is, then) !== neighbour(is, was, now))
      out.push(sectionDifference("moved", then, now));
  }
  leaveUpTo(names.length);
  return out;
}

/** The nearest section before this one that both prompts have. */
function neighbour(places: Map<string, Place>, others: Map<string, Place>, place: Place): string | undefined {
  let { follows } = place;
  while (follows !== undefined && !others.has(follows)) follows = places.get(follows)?.follows;
  return follows;
}

function sectionDifference(what: SectionDifference["what"], then: Place | undefined, now: Place | undefined) {
  const { slot, sent } = (now ?? then) as Place;
  const { name, mutability, stability, whose } = sent;
  const revisions = { before: then?.sent.revision ?? null, after: now?.sent.revision ?? null };
  const diff = what === "moved" ? "" : unified(then?.text ?? "", now?.text ?? "", name);
  return { section: name, slot, what, mutability, stability, whose, revisions, diff };
}

function findBreak(
  before: SentPrompt,
  after: SentPrompt,
  was: Map<string, Place>,
  is: Map<string, Place>,
  different: ReadonlySet<string>,
): PrefixBreak | null {
  const slots = Math.max(before.receipt.slots.length, after.receipt.slots.length);
  for (let order = 0; order < slots; order++) {
    const [then, now] = [before.receipt.slots[order], after.receipt.slots[order]];
    const inSlot = (places: Map<string, Place>) => [...places.values()].filter((place) => place.order === order);
    const [earlier, later] = [inSlot(was), inSlot(is)];
    const byte = then?.slot === now?.slot ? firstDifference(textOf(earlier), textOf(later)) : 0;
    if (byte === undefined) continue;
    const slot = (now ?? then)?.slot as string;
    const holders = [later, earlier].flatMap(
      (places) => places.find((one) => one.start <= byte && byte < one.end) ?? [],
    );
    const blamed = holders.filter(({ sent }) => different.has(sent.name)).sort((a, b) => a.start - b.start);
    const section = (blamed[0] ?? holders[0])?.sent.name ?? "";
    return { slot, byte, section };
  }
  return null;
}

const textOf = (places: readonly Place[]) => places.map(({ text }) => text).join("");

function firstDifference(before: string, after: string): number | undefined {
  if (before === after) return undefined;
  const [a, b] = [bytesOf(before), bytesOf(after)];
  let byte = 0;
  while (byte < a.length && byte < b.length && a[byte] === b[byte]) byte++;
  return byte;
}
