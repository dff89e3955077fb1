import { unified } from "../../prompt/diff.ts";
import type { Receipt, SentSection } from "../../prompt/receipt.ts";

/** A prompt that was sent, as `store.steps.replay` returns it. */
export type SentPrompt = { readonly receipt: Receipt; readonly text: (section: SentSection) => string };

/** A section that differs between two prompts. */
export type SectionDifference = Pick<SentSection, "mutability" | "stability" | "whose"> & {
  readonly section: string;
  /** Where it is now; where it was, if it is gone. */
  readonly slot: string;
  readonly what: "changed" | "came" | "went" | "moved";
  readonly revisions: { readonly before: number | null; readonly after: number | null };
  readonly diff: string;
};

/** The first byte of a slot that differs, and the section it belongs to. */
type PrefixBreak = { readonly slot: string; readonly byte: number; readonly section: string };

/** What differs between two prompts. */
export type Comparison = {
  /** The same bytes in the same slots. */
  readonly identical: boolean;
  /** Where a cache of the first stops being useful for the second. */
  readonly break: PrefixBreak | null;
  readonly sections: readonly SectionDifference[];
};

/** Compares two prompts that were sent, section by section, and says where a cached prefix ends. */
export function comparePrompts(before: SentPrompt, after: SentPrompt): Comparison {
  const [was, is] = [placed(before), placed(after)];
  const sections = differences(was, is);
  const broken = findBreak(before, after, was, is, new Set(sections.map(({ section }) => section)));
  return { identical: broken === null, break: broken, sections };
}

type Place = {
  readonly slot: string;
  /** Its slot is the so-manieth. */
  readonly order: number;
  readonly sent: SentSection;
  readonly text: string;
  /** In UTF-8 bytes, within the slot. */
  readonly start: number;
  readonly end: number;
  /** The section before it in the same prompt. */
  readonly follows: string | undefined;
};

const bytesOf = (text: string) => new TextEncoder().encode(text);

function placed({ receipt, text }: SentPrompt): Map<string, Place> {
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

/** In the order of the later prompt; what went stands where it stood. */
function differences(was: Map<string, Place>, is: Map<string, Place>): SectionDifference[] {
  const out: SectionDifference[] = [];
  const names = [...was.keys()];
  const leaveUpTo = (end: number) => {
    for (const name of names.splice(0, end)) if (!is.has(name)) out.push(difference("went", was.get(name), undefined));
  };
  for (const [name, now] of is) {
    const then = was.get(name);
    if (then) leaveUpTo(names.indexOf(name) + 1);
    if (!then) out.push(difference("came", undefined, now));
    else if (then.sent.digest !== now.sent.digest) out.push(difference("changed", then, now));
    else if (then.slot !== now.slot || neighbour(was, is, then) !== neighbour(is, was, now))
      out.push(difference("moved", then, now));
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

function difference(what: SectionDifference["what"], then: Place | undefined, now: Place | undefined) {
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
