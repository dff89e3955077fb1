import type { GivesWay } from "./charter.ts";
import type { Cut } from "./cut.ts";
import { pieceFor, shortOf, toldPart } from "./form.ts";
import { type Measure, type Shown, sizeOf, sizeOfAll, sizeTogether } from "./measure.ts";
import type { Part } from "./part.ts";
import type { Plan, Rendering } from "./plan.ts";
import { Problem } from "./problem.ts";
import { compose } from "./rendering.ts";

/** A section that is giving way: the form of each of its parts, and, for every rule that spoke, the places it may take. */
export type Giving = {
  readonly whole: Rendering;
  readonly forms: number[];
  readonly rules: Map<GivesWay, readonly number[]>;
};
const whole = 0;
const short = 1;
const gone = 2;

/**
 * Makes the sections fit, by the charter's `givesWay`, in its order.
 *
 * Stable sections are fitted beside what state and event sections are *promised*, never beside what they happen to need
 * this turn: else a message in the inbox would move the cached prefix. State is then fitted into what is really left.
 */
export function fit(plan: Plan, shown: readonly Shown[], limit: number, measure: Measure): Cut[] {
  if (plan.reserve[measure.unit] === 0 && sizeTogether(shown, measure) <= limit) return [];
  const stable = shown.filter(({ rendering }) => rendering.planned.stability === "stable");
  const moving = shown.filter(({ rendering }) => rendering.planned.stability !== "stable");
  const giving = new Map<Shown, Giving>();
  giveWay(plan, stable, limit - plan.reserve[measure.unit], measure, giving);
  for (let room = limit; ; ) {
    giveWay(plan, moving, room - sizeOfAll(stable, measure), measure, giving);
    const total = sizeTogether(shown, measure);
    if (total <= limit) return cutsOf(giving, limit, measure);
    if (sizeOfAll(shown, measure) > room) throw noRoom(plan, shown, total, limit, measure);
    room -= total - limit;
    if (moving.length === 0) giveWay(plan, stable, room, measure, giving);
  }
}

/** Lets sections give way, rule by rule, until they fit `room` or nothing more can. */
export function giveWay(
  plan: Plan,
  sections: readonly Shown[],
  room: number,
  measure: Measure,
  giving: Map<Shown, Giving>,
) {
  let size = sizeOfAll(sections, measure);
  if (size <= room) return;
  const byIndex: Shown[] = new Array(plan.sections.length);
  for (const one of sections) byIndex[one.rendering.planned.index] = one;
  for (const { rule, index } of plan.rules) {
    const one = byIndex[index];
    if (one === undefined) continue;
    let state = giving.get(one);
    if (!state) {
      state = { whole: one.rendering, forms: one.rendering.parts.map(() => whole), rules: new Map() };
      giving.set(one, state);
    }
    size += giveParts(one, state, rule, size - room, measure);
    if (size <= room) return;
  }
}

/** One rule: its parts give way one by one, first to their short form, then altogether. Returns the change in size. */
function giveParts(one: Shown, state: Giving, rule: GivesWay, excess: number, measure: Measure): number {
  const { planned, parts, texts } = state.whole;
  const order = candidates(parts, rule);
  if (order.length === 0) return 0;
  const before = { rendering: one.rendering, forms: [...state.forms], size: sizeOf(one, measure) };
  const size = (part: Part, shown: string) => measure.pieces([pieceFor(planned, part, shown, planned.separator)]);
  const sizeNow = (index: number): number => {
    const part = parts[index] as Part;
    if (state.forms[index] === gone) return 0;
    return state.forms[index] === short ? size(part, part.short as string) : size(part, texts[index] as string);
  };
  const told = toldPart(planned, rule.told, 0, order.length);
  let need = excess + size(told, told.text);
  const settle = () => {
    state.rules.set(rule, order);
    one.rendering = recompose(state);
    need = excess - (before.size - sizeOf(one, measure));
    return need <= 0;
  };
  const steps = order.filter((index) => canShorten(parts[index] as Part)).map((index) => ({ index, form: short }));
  if (rule.to !== "short") for (const index of order) steps.push({ index, form: gone });
  let settled = false;
  for (const { index, form } of steps) {
    if ((state.forms[index] as number) >= form) continue;
    need -= sizeNow(index);
    state.forms[index] = form;
    need += sizeNow(index);
    if (form === gone)
      for (const below of standingUnder(parts, parts[index] as Part)) {
        need -= sizeNow(below);
        state.forms[below] = gone;
      }
    settled = need <= 0 && settle();
    if (settled) break;
  }
  if (!settled) settle();
  if (sizeOf(one, measure) < before.size) return sizeOf(one, measure) - before.size;
  one.rendering = before.rendering;
  state.forms.splice(0, state.forms.length, ...before.forms);
  state.rules.delete(rule);
  return 0;
}

function canShorten(part: Part): boolean {
  return part.short !== undefined && part.short.length < part.text.length;
}

/** The places a rule may take, in the order it takes them; parts under different parents take turns. */
function candidates(parts: readonly Part[], rule: GivesWay): number[] {
  const found: number[] = [];
  let nested = false;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    if (part.kind === "told" || (rule.parts !== undefined && part.kind !== rule.parts)) continue;
    found.push(index);
    nested ||= part.under !== undefined;
  }
  if (rule.from === "end") found.reverse();
  const given = Math.max(0, found.length - (rule.keep ?? 0));
  if (!nested) return found.slice(0, given);
  const taken = new Map<string | undefined, number>();
  const ranked = found.map((index) => {
    const { under } = parts[index] as Part;
    const rank = taken.get(under) ?? 0;
    taken.set(under, rank + 1);
    return { index, rank };
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, given)
    .map(({ index }) => index);
}

function standingUnder(parts: readonly Part[], parent: Part): number[] {
  if (parent.id === undefined) return [];
  return parts.flatMap((part, index) => (part.under === parent.id ? [index] : []));
}

/** The section anew, from what is left of its parts, a told line where each rule's first missing part stood. */
function recompose({ whole: rendering, forms, rules }: Giving): Rendering {
  const { planned, parts, edition } = rendering;
  const told = new Map<number, Part[]>();
  const retold = new Set<Part>();
  for (const [rule, order] of rules) {
    const { first, kept, missing } = taken(rendering, forms, rule, order);
    if (missing === 0) continue;
    const earlier = rendering.told?.get(rule.parts ?? "part");
    if (earlier) retold.add(earlier.line);
    const line = toldPart(planned, rule.told, kept, missing + (earlier?.missing ?? 0));
    told.set(first, [...(told.get(first) ?? []), line]);
  }
  if (parts.every((part, index) => part.kind === "told" || forms[index] === gone))
    for (const part of parts) if (part.kind === "told") retold.add(part);
  const left: Part[] = [];
  for (let index = 0; index < parts.length; index++) {
    const lines = told.get(index);
    if (lines) left.push(...lines);
    const part = parts[index] as Part;
    if (forms[index] !== gone && !retold.has(part)) left.push(forms[index] === short ? shortOf(planned, part) : part);
  }
  const only = left.length === 1 && left[0]?.kind === "told" ? `${edition} ${left[0].text}` : undefined;
  const known = only === undefined ? undefined : planned.emptied.get(only);
  if (known) return known;
  const composed = compose(rendering, left);
  if (only !== undefined) planned.emptied.set(only, composed);
  return composed;
}

function taken({ parts }: Rendering, forms: readonly number[], rule: GivesWay, order: readonly number[]) {
  let missing = 0;
  let first = parts.length;
  for (const index of order) {
    if (forms[index] === whole) continue;
    missing++;
    if (index < first) first = index;
  }
  let all = 0;
  for (const part of parts) if (part.kind !== "told" && (rule.parts === undefined || part.kind === rule.parts)) all++;
  return { first, missing, kept: all - missing };
}

function cutsOf(giving: ReadonlyMap<Shown, Giving>, limit: number, measure: Measure): Cut[] {
  const because = `The prompt may have ${limit} ${measure.unit === "chars" ? "characters" : "tokens"}.`;
  const cuts: Cut[] = [];
  for (const state of giving.values()) {
    const dropped = state.whole.parts.every((part, index) => part.kind === "told" || state.forms[index] === gone);
    for (const [rule, order] of state.rules) {
      const { kept, missing } = taken(state.whole, state.forms, rule, order);
      if (missing === 0) continue;
      const form = dropped ? "dropped" : "shorter";
      cuts.push({ section: rule.section, form, kept, missing, unit: rule.parts ?? "parts", because });
    }
  }
  return cuts;
}

function noRoom(plan: Plan, shown: readonly Shown[], total: number, limit: number, measure: Measure): Problem {
  const unit = measure.unit === "chars" ? "characters" : "tokens";
  const largest = shown
    .map((one) => ({ name: one.rendering.planned.section.name, size: sizeOf(one, measure) }))
    .sort((a, b) => b.size - a.size)
    .slice(0, 3)
    .map(({ name, size }) => `“${name}” ${size}`);
  return new Problem(
    "no-room",
    `The prompt of “${plan.charter.name}” needs ${total} ${unit} and may have ${limit}, after all that can give way did. Largest: ${largest.join(", ")}.`,
    "Raise the limit, ask for the compact edition, shorten a section, or let one give way (givesWay).",
  );
}
