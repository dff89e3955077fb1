import type { GivesWayRule } from "./charter.ts";
import type { Cut } from "./cut.ts";
import { pieceFor, toldPart } from "./form.ts";
import {
  composeLeft,
  createGivingState,
  giveUp,
  gone,
  isDropped,
  isParent,
  partsSparedBy,
  reachOf,
  type ShownSection,
  settle,
  short,
} from "./giving-way.ts";
import { type Measure, measureSection, measureTogether, sizeOf, sizeOfAll, sizeTogether, unitName } from "./measure.ts";
import type { Part } from "./part.ts";
import type { Plan, PlannedRule, PlannedSection } from "./plan.ts";
import { grouped, Problem } from "./problem.ts";
import { compose, makePieces } from "./rendering.ts";

/**
 * Makes the sections fit, by the charter's `givesWay`, in its order.
 *
 * Stable sections are fitted beside what state and event sections are *promised*, never beside what they happen to need
 * this turn: else a message in the inbox would move the cached prefix. State is then fitted into what is really left.
 * Returns how much they measure together.
 */
export function fit(plan: Plan, shown: readonly ShownSection[], limit: number, measure: Measure): number {
  const reserve = plan.reserve[measure.unit];
  let total = measureTogether(shown, measure);
  if (reserve === 0 && total <= limit) return total;
  const [stable, moving] = plan.moves ? byStability(shown) : [shown, []];
  giveWay(plan, stable, limit - reserve - (plan.moves ? partingSize(stable, measure) : 0), measure);
  for (let room = limit; ; ) {
    giveWay(plan, moving, room - sizeOfAll(stable), measure);
    total = sizeTogether(shown, measure);
    if (total <= limit) break;
    if (sizeOfAll(shown) > room) throw noRoom(plan, shown, total, limit, measure);
    room -= total - limit;
    if (moving.length === 0) giveWay(plan, stable, room, measure);
  }
  const because = `The prompt may have ${grouped(limit)} ${unitName(measure.unit)}.`;
  for (const one of shown) if (one.giving !== undefined || one.dropped !== undefined) one.reason ??= because;
  return total;
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
    more -= one.size;
    more += measure.pieces(makePieces(one.rendering, longest));
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
 * Sizes are reckoned part by part and settled only where it may be enough. The words are composed at the end.
 */
export function giveWay(plan: Plan, sections: readonly ShownSection[], room: number, measure: Measure): void {
  let size = sizeOfAll(sections);
  for (let before = Infinity; size > room && size < before; ) {
    before = size;
    size -= takeByRules(plan, sections, size - room, measure);
    for (const one of sections)
      if (one.giving !== undefined && !one.giving.isExact) {
        size -= one.size;
        settle(one, one.giving, measure);
        size += one.size;
      }
  }
  for (const one of sections) composeLeft(one, measure);
}

/** Returns what was won, as reckoned. */
function takeByRules(plan: Plan, sections: readonly ShownSection[], tooMuch: number, measure: Measure): number {
  let won = 0;
  const byIndex = sections.length === plan.sections.length ? sections : placed(plan, sections);
  for (const planned of plan.rules) {
    const { index, takesAll, kind, edition } = planned;
    const one = byIndex[index];
    if (one === undefined || (edition !== undefined && edition !== one.rendering.edition)) continue;
    const { single, parts } = one.rendering;
    const drops = takesAll && single && one.giving === undefined && (kind === undefined || kind === parts[0]?.kind);
    won += drops ? drop(one, planned, measure) : take(one, planned.rule, tooMuch - won, measure);
    if (won >= tooMuch) break;
  }
  return won;
}

function placed(plan: Plan, sections: readonly ShownSection[]): readonly (ShownSection | undefined)[] {
  const byIndex: (ShownSection | undefined)[] = new Array(plan.sections.length).fill(undefined);
  for (const one of sections) byIndex[one.rendering.planned.index] = one;
  return byIndex;
}

/** Leaves a section's one part out, if that wins anything. Returns what was won. */
function drop(one: ShownSection, { rule, dropped }: PlannedRule, measure: Measure): number {
  const { rendering, separator, size } = one;
  const { planned, edition } = rendering;
  dropped[edition] ??= compose(rendering, [toldPart(planned, rule.told, 0, 1)]);
  const left = dropped[edition];
  const won = size - sizeOf(left, separator, measure);
  if (won <= 0) return 0;
  one.rendering = left;
  one.dropped = rule;
  measureSection(one, measure);
  return won;
}

/** A told line, a gap: by so much a reckoned size may be off. Nearer than this it is settled and looked at. */
const doubt = 12;

/** One rule: its parts give way one by one, first to their short form, then altogether. Returns what was won. */
function take(one: ShownSection, rule: GivesWayRule, excess: number, measure: Measure): number {
  one.giving ??= createGivingState(one);
  const { giving } = one;
  const { parts, planned, shortens } = giving.whole;
  const spokeBefore = giving.rules.has(rule);
  const reach = giving.rules.get(rule) ?? reachOf(parts, rule);
  if (reach.order.length === 0) return 0;
  const spared = partsSparedBy(rule, giving, reach);
  const before = { size: one.size, forms: giving.forms.slice() };
  const enough = before.size - excess;
  giving.rules.set(rule, reach);
  if (!spokeBefore) one.size += toldSize(planned, rule, measure);
  for (let form = shortens ? short : gone; form <= (rule.to === "short" ? short : gone); form++)
    for (const index of reach.order) {
      if (form === gone && spared.size > 0 && isParent(parts[index] as Part, spared)) continue;
      const won = giveUp(giving, index, form, measure);
      if (won === undefined) continue;
      one.size -= won;
      if (one.size - doubt > enough) continue;
      settle(one, giving, measure);
      if (one.size <= enough) return before.size - one.size;
    }
  if (one.size + doubt > before.size) settle(one, giving, measure);
  if (one.size < before.size) return before.size - one.size;
  for (const [index, form] of before.forms.entries()) giving.forms[index] = form;
  one.size = before.size;
  giving.isExact = false;
  if (!spokeBefore) giving.rules.delete(rule);
  return 0;
}

/** A told line before its numbers are known. */
function toldSize(planned: PlannedSection, rule: GivesWayRule, measure: Measure): number {
  const told = toldPart(planned, rule.told, 0, 0);
  return measure.piece(pieceFor(planned, told, told.text, planned.separator));
}

/** What the sections gave up, for the operator. */
export function cutsOf(shown: readonly ShownSection[]): Cut[] {
  const cuts: Cut[] = [];
  for (const { rendering, giving, dropped, reason = "" } of shown) {
    if (giving === undefined && dropped === undefined) continue;
    const section = rendering.planned.name;
    if (dropped)
      cuts.push({ section, form: "dropped", kept: 0, missing: 1, unit: dropped.parts ?? "parts", because: reason });
    if (!giving) continue;
    const form = isDropped(giving.whole, giving.forms) ? "dropped" : "shorter";
    for (const { rule, kept, missing } of giving.taken) {
      const unit = rule.parts ?? "parts";
      const shape = rule.to === "short" ? "shortened" : form;
      if (missing > 0) cuts.push({ section, form: shape, kept, missing, unit, because: reason });
    }
  }
  return cuts;
}

function noRoom(plan: Plan, shown: readonly ShownSection[], total: number, limit: number, measure: Measure): Problem {
  const unit = unitName(measure.unit);
  const largest = shown
    .map(({ rendering, size }) => ({ name: rendering.planned.name, size }))
    .sort((a, b) => b.size - a.size)
    .slice(0, 3)
    .map(({ name, size }) => `“${name}” ${grouped(size)}`);
  return new Problem(
    "no-room",
    `The prompt of “${plan.charter.name}” needs ${grouped(total)} ${unit} and may have ${grouped(limit)}, even after trimming. Largest: ${largest.join(", ")}.`,
    "Raise the limit, ask for the compact edition, shorten a section, or let one be trimmed (givesWay).",
  );
}
