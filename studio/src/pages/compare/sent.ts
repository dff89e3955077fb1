import type { Receipt } from "charter";
import type { TurnParts } from "charter/answers";
import { type Assembled, placedSections } from "../../assembly/assembled.ts";

/** A section as a model reads it, with its words; it can be drawn as a stratum. */
export type Sent = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: "fixed" | "amendable" | "live";
  /** `system` (the prefix), `update` (told in the history) or `state` (the tail). */
  readonly slot: string;
  readonly tail: boolean;
  readonly revision: number | null;
  readonly tokens: number;
  readonly cut: boolean;
  /** Without what parts it from the next, and without what delivery says before it. */
  readonly text: string;
};

/** What a step sent, section by section: the exact bytes, cut where the receipt says. */
export function sentOf({ slots, receipt }: Pick<TurnParts["bytes"], "slots" | "receipt">): readonly Sent[] {
  const { slots: kept, cuts } = receipt as Receipt;
  const cut = new Set(cuts.map(({ section }) => section));
  return kept.flatMap(({ slot, sections }, index) => {
    const words = slots[index]?.text ?? "";
    let at = 0;
    return sections.map(({ name, layer, mutability, revision, tokens, spans }, order): Sent => {
      let text = "";
      for (const { length, source } of spans) {
        if (source !== "delivery" || layer === "delivery") text += words.slice(at, at + length);
        at += length;
      }
      const about = { name, layer, mutability, slot, tail: slot === "state", revision, tokens: tokens ?? 0 };
      return { ...about, cut: cut.has(name), text: order < sections.length - 1 ? alone(text) : text.trimEnd() };
    });
  });
}

/** Without what charters put between two sections: empty lines, and at most a rule among them. */
function alone(text: string): string {
  const words = text.trimEnd();
  const last = words.lastIndexOf("\n");
  return /^-{3,}$/.test(words.slice(last + 1)) ? words.slice(0, Math.max(0, last)).trimEnd() : words;
}

/** The same of a prompt that was assembled here. */
export function sentNow(assembled: Assembled): readonly Sent[] {
  const layered = assembled.about.receiver.slots === "layered";
  return placedSections(assembled).map(({ name, layer, mutability, revision, tokens, cut, tail, start, end, gap }) => ({
    ...{ name, layer, mutability, revision, tokens, cut, tail },
    slot: layered && tail ? "state" : "system",
    text: assembled.text.slice(start, end - gap).trimEnd(),
  }));
}
