import type { GivesWayRule } from "./charter.ts";
import { pieceFor, shortOf, toldPart } from "./form.ts";
import type { Part } from "./part.ts";
import type { Rendering } from "./plan.ts";
import { compose, piecesOf } from "./rendering.ts";
import type { Piece } from "./tokens.ts";

/** The forms a part can have, each less than the one before. */
const whole = 0;
export const short = 1;
export const gone = 2;

/** A section that is giving way: the form of each of its parts, and, for every rule that spoke, the places it may take. */
export type GivingState = {
  readonly whole: Rendering;
  readonly pieces: readonly Piece[];
  /** Where the parts' pieces start. */
  readonly first: number;
  /** The ids that a part stands under. */
  readonly parents: ReadonlySet<string | undefined>;
  readonly forms: number[];
  readonly rules: Map<GivesWayRule, readonly number[]>;
  /** Its size as reckoned; exact once it is settled, that is, composed anew from what is left. */
  size: number;
  isExact: boolean;
};

export function createGivingState(rendering: Rendering, separator: string, size: number): GivingState {
  const { parts, planned, edition } = rendering;
  return {
    whole: rendering,
    pieces: piecesOf(rendering, separator),
    first: planned.opening[edition] === "" ? 0 : 1,
    forms: new Array(parts.length).fill(whole),
    parents: rendering.nested ? new Set(parts.map(({ parent }) => parent)) : none,
    rules: new Map(),
    size,
    isExact: true,
  };
}

const none: ReadonlySet<string | undefined> = new Set();

/** The places a rule may take, in the order it takes them; parts under different parents take turns. */
export function candidates(parts: readonly Part[], rule: GivesWayRule): readonly number[] {
  const found: number[] = [];
  let nested = false;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    if (!appliesTo(rule, part)) continue;
    found.push(index);
    nested ||= part.parent !== undefined;
  }
  if (rule.from === "end") found.reverse();
  const given = Math.max(0, found.length - (rule.keep ?? 0));
  if (nested) takeTurns(found, parts);
  found.length = given;
  return found;
}

/** The parts that a rule may shorten and not leave out, because one that it keeps stands under them; by their ids. */
export function partsSparedBy(
  rule: GivesWayRule,
  { whole: { parts }, parents }: GivingState,
  order: readonly number[],
) {
  const couldTake = rule.keep && order.some((index) => isParent(parts[index] as Part, parents));
  if (!couldTake) return none;
  const spared = new Set<string | undefined>();
  const byId = new Map(parts.map((part) => [part.id, part]));
  const taken = new Set(order);
  for (const [index, part] of parts.entries()) {
    if (taken.has(index) || !appliesTo(rule, part)) continue;
    for (let up = part.parent; up !== undefined && !spared.has(up); up = byId.get(up)?.parent) spared.add(up);
  }
  return spared;
}

export function isParent({ id }: Part, parents: ReadonlySet<string | undefined>): boolean {
  return id !== undefined && parents.has(id);
}

export function appliesTo(rule: GivesWayRule, part: Part): boolean {
  return part.kind !== "told" && (rule.parts === undefined || part.kind === rule.parts);
}

function takeTurns(found: number[], parts: readonly Part[]): void {
  const groups = new Map<string | undefined, number[]>();
  for (const index of found) {
    const { parent } = parts[index] as Part;
    const group = groups.get(parent);
    if (group) group.push(index);
    else groups.set(parent, [index]);
  }
  let at = 0;
  for (let rank = 0; at < found.length; rank++)
    for (const group of groups.values()) if (rank < group.length) found[at++] = group[rank] as number;
}

export function canShorten({ short, text }: Part): boolean {
  return short !== undefined && short.length < text.length;
}

/** What a part is measured by in one of its forms. */
export function pieceIn({ whole: rendering, pieces, first }: GivingState, index: number, form: number): Piece {
  if (form === whole) return pieces[first + index] as Piece;
  const { planned, parts } = rendering;
  const shortened = shortOf(planned, parts[index] as Part);
  return pieceFor(planned, shortened, shortened.text, planned.separator);
}

/** The section anew, from what is left of its parts, a told line where each rule's first missing part stood. */
export function recompose(giving: GivingState, separator: string): Rendering {
  const { whole: rendering, forms, first } = giving;
  const { planned, parts, edition } = rendering;
  const { told, retold } = toldLines(giving);
  const places = [...told.keys()].sort((a, b) => a - b);
  const left: Part[] = [];
  const pieces: (Piece | undefined)[] = [];
  let next = 0;
  for (let index = 0; index < parts.length; index++) {
    if (index === places[next]) {
      for (const line of told.get(index) as Part[]) {
        left.push(line);
        pieces.push(undefined);
      }
      next++;
    }
    const form = forms[index] as number;
    const part = parts[index] as Part;
    if (form === gone || (retold.size > 0 && retold.has(part))) continue;
    left.push(form === short ? shortOf(planned, part) : part);
    pieces.push(form === whole ? giving.pieces[index + first] : undefined);
  }
  const only = left.length === 1 && left[0]?.kind === "told" ? `${edition} ${left[0].text}` : undefined;
  const known = only === undefined ? undefined : planned.emptied.get(only);
  if (known) return known;
  const composed = compose(rendering, left);
  if (composed.plain) piecesOf(composed, separator, pieces);
  if (only !== undefined) planned.emptied.set(only, composed);
  return composed;
}

/** The lines that tell of what is missing, by place; and those they stand in for, told before by the edition. */
function toldLines(giving: GivingState) {
  const { whole: rendering, forms, rules } = giving;
  const { planned, parts } = rendering;
  const told = new Map<number, Part[]>();
  const retold = new Set<Part>();
  for (const rule of rules.keys()) {
    const { first, kept, missing } = countTaken(giving, rule);
    if (missing === 0) continue;
    const left = rule.to === "short" ? undefined : rendering.told?.get(rule.parts ?? "part");
    const earlier = left && !retold.has(left.line) ? left : undefined;
    if (earlier) retold.add(earlier.line);
    const line = toldPart(planned, rule.told, kept, missing + (earlier?.missing ?? 0));
    told.set(first, [...(told.get(first) ?? []), line]);
  }
  if (isDropped(rendering, forms)) for (const part of parts) if (part.kind === "told") retold.add(part);
  return { told, retold };
}

/**
 * What is missing of a rule's parts: how many, of how many, and where the first of them stood. Every part is counted
 * once: one that is short by the rule that only shortens, if it spoke; one that is gone by the rule that may take it.
 */
export function countTaken({ whole: { parts }, forms, rules }: GivingState, rule: GivesWayRule) {
  const others = [...rules.keys()].filter((other) => other !== rule && overlaps(other, rule));
  const countsShort = rule.to === "short" || !others.some(({ to }) => to === "short");
  const countsGone = rule.to === "short" ? () => false : goneCountedBy(rule, rules, others);
  let missing = 0;
  let kept = 0;
  let first = parts.length;
  for (let index = 0; index < parts.length; index++) {
    if (!appliesTo(rule, parts[index] as Part)) continue;
    const form = forms[index];
    if (form === gone ? !countsGone(index) : form === whole || !countsShort) {
      if (form !== gone) kept++;
    } else {
      missing++;
      if (index < first) first = index;
    }
  }
  return { first, missing, kept };
}

function overlaps(one: GivesWayRule, other: GivesWayRule): boolean {
  return one.parts === undefined || other.parts === undefined || one.parts === other.parts;
}

/** Which of the parts that are gone a rule counts, beside the others that leave such parts out. */
function goneCountedBy(rule: GivesWayRule, rules: GivingState["rules"], others: readonly GivesWayRule[]) {
  const taking = [...rules.keys()].filter((one) => one === rule || (others.includes(one) && one.to !== "short"));
  if (taking.length < 2) return () => true;
  // Those that say the same of the same kind say it once, and together.
  const groups = Map.groupBy(taking, ({ parts = "", told }) => JSON.stringify([parts, told]));
  const [firstGroup = [], ...laterGroups] = groups.values();
  const owners = new Map<number, readonly GivesWayRule[]>();
  for (const group of [firstGroup, ...laterGroups])
    for (const index of group.flatMap((one) => rules.get(one) ?? [])) if (!owners.has(index)) owners.set(index, group);
  return (index: number) => (owners.get(index) ?? firstGroup)[0] === rule;
}

/** Is nothing left of a section but told lines? */
export function isDropped({ parts }: Rendering, forms: number[]): boolean {
  for (let index = 0; index < parts.length; index++)
    if (forms[index] !== gone && (parts[index] as Part).kind !== "told") return false;
  return true;
}
