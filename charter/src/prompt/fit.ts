import type { GivesWayRule } from "./charter.ts";
import type { Cut } from "./cut.ts";
import { descendantsOf } from "./descendants.ts";
import { pieceFor, toldPart } from "./form.ts";
import {
  appliesTo,
  candidates,
  canShorten,
  countTaken,
  createGivingState,
  type GivingState,
  gone,
  isDropped,
  isParent,
  partsSparedBy,
  pieceIn,
  recompose,
  short,
} from "./giving-way.ts";
import {
  type Measure,
  type ShownSection,
  sizeOf,
  sizeOfAll,
  sizeOfRendering,
  sizeTogether,
  unitName,
} from "./measure.ts";
import type { Part } from "./part.ts";
import type { Plan, PlannedSection, Rendering } from "./plan.ts";
import { grouped, Problem } from "./problem.ts";
import { piecesOf } from "./rendering.ts";

/**
 * Makes the sections fit, by the charter's `givesWay`, in its order.
 *
 * Stable sections are fitted beside what state and event sections are *promised*, never beside what they happen to need
 * this turn: else a message in the inbox would move the cached prefix. State is then fitted into what is really left.
 */
export function fit(plan: Plan, shown: readonly ShownSection[], limit: number, measure: Measure): void {
  const because = `The prompt may have ${grouped(limit)} ${unitName(measure.unit)}.`;
  for (const one of shown) if (one.giving !== undefined) one.giving.size = sizeOf(one, measure);
  const reserve = plan.reserve[measure.unit];
  if (reserve === 0 && sizeTogether(shown, measure) <= limit) return;
  const [stable, moving] = plan.moves ? byStability(shown) : [shown, []];
  giveWay(plan, stable, limit - reserve - (plan.moves ? partingSize(stable, measure) : 0), measure);
  for (let room = limit; ; ) {
    giveWay(plan, moving, room - sizeOfAll(stable, measure), measure);
    const total = sizeTogether(shown, measure);
    if (total <= limit) break;
    if (sizeOfAll(shown, measure) > room) throw noRoom(plan, shown, total, limit, measure);
    room -= total - limit;
    if (moving.length === 0) giveWay(plan, stable, room, measure);
  }
  for (const one of shown) if (one.giving !== undefined || one.dropped !== undefined) one.reason ??= because;
}

/**
 * What the separators after stable sections would measure more at their longest: which one stands there depends on
 * whether state speaks between them, and what stable sections give up must not.
 */
function partingSize(stable: readonly ShownSection[], measure: Measure): number {
  let more = 0;
  for (const one of stable) {
    const { within, after } = one.rendering.planned;
    const longest = within.length > after.length ? within : after;
    if (one.separator.length >= longest.length) continue;
    more -= sizeOf(one, measure);
    more += measure.pieces(piecesOf(one.rendering, longest));
  }
  return more;
}

export function byStability(shown: readonly ShownSection[]): [stable: ShownSection[], moving: ShownSection[]] {
  const stable: ShownSection[] = [];
  const moving: ShownSection[] = [];
  for (const one of shown) (one.rendering.planned.stability === "stable" ? stable : moving).push(one);
  return [stable, moving];
}

/**
 * Lets sections give way, rule by rule, until they fit `room` or nothing more can.
 *
 * Sizes are reckoned part by part and settled when a section is composed anew, which is only where it may be enough.
 */
export function giveWay(plan: Plan, sections: readonly ShownSection[], room: number, measure: Measure): void {
  for (let size = sizeOfAll(sections, measure); size > room; ) {
    const before = size;
    size -= takeByRules(plan, sections, size - room, measure);
    for (const one of sections)
      if (one.giving !== undefined && !one.giving.isExact) {
        size -= one.giving.size;
        remeasure(one, one.giving, measure);
        size += one.giving.size;
      }
    if (size >= before) return;
  }
}

/** Returns what was won, as reckoned. */
function takeByRules(plan: Plan, sections: readonly ShownSection[], tooMuch: number, measure: Measure): number {
  let won = 0;
  const byIndex = sections.length === plan.sections.length ? sections : placed(plan, sections);
  for (const { rule, index } of plan.rules) {
    const one = byIndex[index];
    if (one === undefined || (rule.edition !== undefined && rule.edition !== one.rendering.edition)) continue;
    won +=
      one.giving !== undefined || !isSingle(one.rendering, rule)
        ? take(one, rule, tooMuch - won, measure)
        : drop(one, rule, measure);
    if (won >= tooMuch) break;
  }
  return won;
}

function placed(plan: Plan, sections: readonly ShownSection[]): readonly (ShownSection | undefined)[] {
  const byIndex: (ShownSection | undefined)[] = new Array(plan.sections.length).fill(undefined);
  for (const one of sections) byIndex[one.rendering.planned.index] = one;
  return byIndex;
}

/** Is a section one part that this rule can only take whole? */
function isSingle({ parts }: Rendering, rule: GivesWayRule): boolean {
  const part = parts[0];
  return (
    parts.length === 1 && part !== undefined && !rule.keep && !rule.to && !canShorten(part) && appliesTo(rule, part)
  );
}

/** Leaves such a section's words out, if that wins anything. Returns what was won. */
function drop(one: ShownSection, rule: GivesWayRule, measure: Measure): number {
  const { planned, edition } = one.rendering;
  const before = sizeOf(one, measure);
  let dropped = planned.dropped[edition];
  if (dropped === undefined || dropped.rule !== rule) {
    const giving = createGivingState(one.rendering, one.separator, before);
    giving.forms[0] = gone;
    giving.rules.set(rule, [0]);
    dropped = { rule, rendering: recompose(giving, one.separator) };
    planned.dropped[edition] = dropped;
  }
  const after = sizeOfRendering(dropped.rendering, one.separator, measure);
  if (after >= before) return 0;
  one.rendering = dropped.rendering;
  one.dropped = rule;
  return before - after;
}

/** A told line, a gap: by so much a reckoned size may be off. Nearer than this it is settled and looked at. */
const doubt = 12;

/** One rule: its parts give way one by one, first to their short form, then altogether. Returns what was won. */
function take(one: ShownSection, rule: GivesWayRule, excess: number, measure: Measure): number {
  one.giving ??= createGivingState(one.rendering, one.separator, sizeOf(one, measure));
  const { giving } = one;
  const { parts, planned } = giving.whole;
  const spokeBefore = giving.rules.has(rule);
  const order = giving.rules.get(rule) ?? candidates(parts, rule);
  if (order.length === 0) return 0;
  const spared = partsSparedBy(rule, giving, order);
  const before = { size: giving.size, forms: giving.forms.slice() };
  const enough = before.size - excess;
  giving.rules.set(rule, order);
  if (!spokeBefore) giving.size += toldSize(planned, rule, measure);
  for (let form = giving.whole.shortens ? short : gone; form <= (rule.to === "short" ? short : gone); form++)
    for (const index of order) {
      if (form === gone && isParent(parts[index] as Part, spared)) continue;
      if (!giveUp(giving, index, form, measure) || giving.size - doubt > enough) continue;
      remeasure(one, giving, measure);
      if (giving.size <= enough) return before.size - giving.size;
    }
  if (giving.size + doubt > before.size) remeasure(one, giving, measure);
  if (giving.size < before.size) return before.size - giving.size;
  for (const [index, form] of before.forms.entries()) giving.forms[index] = form;
  giving.size = before.size;
  giving.isExact = false;
  if (!spokeBefore) giving.rules.delete(rule);
  return 0;
}

/** One part, and what stands under it, to a lesser form; the size is reckoned. False when there is nothing to give. */
function giveUp(giving: GivingState, index: number, form: number, measure: Measure): boolean {
  const { whole: rendering, forms } = giving;
  const part = rendering.parts[index] as Part;
  const now = forms[index] as number;
  if (now >= form || (form === short && !canShorten(part))) return false;
  giving.size -= measure.piece(pieceIn(giving, index, now));
  if (form === short) giving.size += measure.piece(pieceIn(giving, index, short));
  forms[index] = form;
  giving.isExact = false;
  if (form === gone && isParent(part, giving.parents))
    for (const below of descendantsOf(rendering.parts, part)) {
      if (forms[below] !== gone) giving.size -= measure.piece(pieceIn(giving, below, forms[below] as number));
      forms[below] = gone;
    }
  return true;
}

/** A told line before its numbers are known. */
function toldSize(planned: PlannedSection, rule: GivesWayRule, measure: Measure): number {
  const told = toldPart(planned, rule.told, 0, 0);
  return measure.piece(pieceFor(planned, told, told.text, planned.separator));
}

function remeasure(one: ShownSection, giving: GivingState, measure: Measure): void {
  one.rendering = recompose(giving, one.separator);
  giving.size = sizeOf(one, measure);
  giving.isExact = true;
}

/** What the sections gave up, for the operator. */
export function cutsOf(shown: readonly ShownSection[]): Cut[] {
  const cuts: Cut[] = [];
  for (const { rendering, giving, dropped, reason = "" } of shown) {
    if (giving === undefined && dropped === undefined) continue;
    const section = rendering.planned.section.name;
    if (dropped)
      cuts.push({ section, form: "dropped", kept: 0, missing: 1, unit: dropped.parts ?? "parts", because: reason });
    if (!giving) continue;
    const form = isDropped(giving.whole, giving.forms) ? "dropped" : "shorter";
    for (const rule of giving.rules.keys()) {
      const { kept, missing } = countTaken(giving, rule);
      const unit = rule.parts ?? "parts";
      if (missing > 0)
        cuts.push({
          section,
          form: rule.to === "short" ? "shortened" : form,
          kept,
          missing,
          unit,
          because: reason,
        });
    }
  }
  return cuts;
}

function noRoom(plan: Plan, shown: readonly ShownSection[], total: number, limit: number, measure: Measure): Problem {
  const unit = unitName(measure.unit);
  const largest = shown
    .map((one) => ({ name: one.rendering.planned.section.name, size: sizeOf(one, measure) }))
    .sort((a, b) => b.size - a.size)
    .slice(0, 3)
    .map(({ name, size }) => `“${name}” ${grouped(size)}`);
  return new Problem(
    "no-room",
    `The prompt of “${plan.charter.name}” needs ${grouped(total)} ${unit} and may have ${grouped(limit)}, even after trimming. Largest: ${largest.join(", ")}.`,
    "Raise the limit, ask for the compact edition, shorten a section, or let one be trimmed (givesWay).",
  );
}
