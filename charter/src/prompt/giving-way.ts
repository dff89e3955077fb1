import type { GivesWayRule } from "./charter.ts";
import { descendantsOf } from "./descendants.ts";
import { canShorten, pieceFor, shortOf, toldPart } from "./form.ts";
import { type Measure, measureSection, type ShownWords } from "./measure.ts";
import type { Part } from "./part.ts";
import type { Rendering } from "./plan.ts";
import { compose, piecesOf } from "./rendering.ts";
import { isSoundPiece } from "./sound.ts";
import type { Piece } from "./tokens.ts";

/** The forms a part can have, each less than the one before. */
const whole = 0;
export const short = 1;
export const gone = 2;

/** A section as it will stand: what it says, what follows it, and, while it gives way, how. */
export type ShownSection = ShownWords & {
  giving: GivingState | undefined;
  dropped: GivesWayRule | undefined;
  /** The limit that first made it give way. */
  reason: string | undefined;
};

/** The places of the parts that a rule speaks of, and of those it may take, in the order it takes them. */
type RuleReach = { readonly all: readonly number[]; readonly order: readonly number[] };

/** What is missing of a rule's parts: how many, of how many, and where the first of them stood. */
type TakenParts = {
  readonly rule: GivesWayRule;
  readonly first: number;
  readonly kept: number;
  readonly missing: number;
};

/** What is left of a section; its pieces, where they can be told without composing it. */
type LeftParts = Pick<Rendering, "parts" | "texts" | "pieces">;

/** A section that is giving way: the form of each of its parts, and the rules that spoke. */
export type GivingState = {
  readonly whole: Rendering;
  readonly forms: number[];
  readonly rules: Map<GivesWayRule, RuleReach>;
  /** The ids that a part stands under. */
  readonly parents: ReadonlySet<string>;
  /** Its pieces, and where those of its parts begin. */
  readonly pieces: readonly Piece[];
  readonly first: number;
  /** Is its size exact, and not only reckoned part by part? */
  isExact: boolean;
  /** As it was settled: what was taken, and what is left, until it is composed. */
  taken: readonly TakenParts[];
  left: LeftParts | undefined;
};

export function createGivingState({ rendering, separator }: ShownWords): GivingState {
  const { planned, edition, parts, nested } = rendering;
  return {
    whole: rendering,
    forms: new Array(parts.length).fill(whole),
    rules: new Map(),
    parents: nested ? parentsOf(parts) : none,
    pieces: piecesOf(rendering, separator),
    first: planned.opening[edition] === "" ? 0 : 1,
    isExact: true,
    taken: [],
    left: undefined,
  };
}

const none: ReadonlySet<string> = new Set();

function parentsOf(parts: readonly Part[]): ReadonlySet<string> {
  const parents = new Set<string>();
  let newest: string | undefined;
  for (const { parent } of parts)
    if (parent !== undefined && parent !== newest) {
      parents.add(parent);
      newest = parent;
    }
  return parents;
}

/** Parts under different parents take turns. */
export function reachOf(parts: readonly Part[], rule: GivesWayRule): RuleReach {
  const all: number[] = [];
  let nested = false;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    if (!appliesTo(rule, part)) continue;
    all.push(index);
    nested ||= part.parent !== undefined;
  }
  const order = rule.from === "end" ? all.toReversed() : [...all];
  if (nested) takeTurns(order, parts);
  order.length = Math.max(0, all.length - (rule.keep ?? 0));
  return { all, order };
}

/** The parts that a rule may shorten and not leave out, because one that it keeps stands under them; by their ids. */
export function partsSparedBy(rule: GivesWayRule, { whole: { parts }, parents }: GivingState, reach: RuleReach) {
  const couldTake = rule.keep && reach.order.some((index) => isParent(parts[index] as Part, parents));
  if (!couldTake) return none;
  const spared = new Set<string>();
  const byId = new Map(parts.map((part) => [part.id, part]));
  const taken = new Set(reach.order);
  for (const index of reach.all)
    if (!taken.has(index))
      for (let up = parts[index]?.parent; up !== undefined && !spared.has(up); up = byId.get(up)?.parent)
        spared.add(up);
  return spared;
}

export function isParent({ id }: Part, parents: ReadonlySet<string>): boolean {
  return id !== undefined && parents.has(id);
}

function appliesTo(rule: GivesWayRule, part: Part): boolean {
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

/** One part, and what stands under it, to a lesser form. Returns what it wins, as reckoned; nothing if it has nothing to give. */
export function giveUp(giving: GivingState, index: number, form: number, measure: Measure): number | undefined {
  const { whole: rendering, forms, parents } = giving;
  const part = rendering.parts[index] as Part;
  if ((forms[index] as number) >= form || (form === short && !canShorten(part))) return undefined;
  giving.isExact = false;
  let won = put(giving, index, form, measure);
  if (form === gone && isParent(part, parents))
    for (const below of descendantsOf(rendering.parts, part)) won += put(giving, below, gone, measure);
  return won;
}

function put(giving: GivingState, index: number, form: number, measure: Measure): number {
  const before = sizeIn(giving, index, giving.forms[index] as number, measure);
  giving.forms[index] = form;
  return before - sizeIn(giving, index, form, measure);
}

function sizeIn(
  { whole: rendering, pieces, first }: GivingState,
  index: number,
  form: number,
  measure: Measure,
): number {
  if (form === gone) return 0;
  return measure.piece(
    form === whole ? (pieces[first + index] as Piece) : linePiece(rendering, shortAt(rendering, index)),
  );
}

function shortAt({ planned, parts }: Rendering, index: number): Part {
  return shortOf(planned, parts[index] as Part);
}

function linePiece({ planned }: Rendering, line: Part): Piece {
  return pieceFor(planned, line, line.text, planned.separator);
}

/** Makes a reckoned size exact: by the pieces that are left, or by the words, where these depend on what is beside them. */
export function settle(one: ShownSection, giving: GivingState, measure: Measure): void {
  giving.taken = Array.from(giving.rules.keys(), (rule) => takenBy(giving, rule));
  giving.isExact = true;
  const left = leftOf(giving, one.separator);
  giving.left = left.pieces && left;
  if (left.pieces) one.size = measure.pieces(left.pieces);
  else {
    one.rendering = compose(giving.whole, left.parts);
    measureSection(one, measure);
  }
}

/** The words of a section that was settled by its pieces. */
export function composeLeft(one: ShownSection, { by }: Measure): void {
  const { giving, separator, size } = one;
  if (!giving?.left) return;
  const { whole: rendering, left } = giving;
  one.opens = left.pieces?.[0]?.opens === true;
  one.ends = left.pieces?.at(-1)?.ends === true;
  const { opens, ends } = one;
  one.rendering = {
    ...rendering,
    ...left,
    text: undefined,
    separator,
    size,
    sizedBy: by,
    opens,
    ends,
  };
  giving.left = undefined;
}

/** What is left of the parts, a told line where each rule's first missing part stood. */
function leftOf(giving: GivingState, separator: string): LeftParts {
  const { whole: rendering, forms, pieces: known, first } = giving;
  const { planned, plain, parted } = rendering;
  const { told, retold } = toldLines(giving);
  const parts: Part[] = [];
  const texts: string[] = [];
  const pieces: Piece[] = known.slice(0, first);
  let tellable = plain && parted;
  const add = (line: Part) => {
    const piece = linePiece(rendering, line);
    tellable &&= isSoundPiece(piece);
    parts.push(line);
    texts.push(line.text);
    pieces.push(piece);
  };
  let next = 0;
  for (let index = 0; index < forms.length; index++) {
    for (; told[next]?.at === index; next++) add((told[next] as ToldLine).line);
    const form = forms[index];
    const part = rendering.parts[index] as Part;
    if (form === gone || (retold.size > 0 && retold.has(part))) continue;
    if (form === short) add(shortAt(rendering, index));
    else {
      parts.push(part);
      texts.push(rendering.texts[index] as string);
      pieces.push(known[first + index] as Piece);
    }
  }
  if (!tellable || parts.length === 0) return { parts, texts, pieces: undefined };
  const { closing } = planned.section;
  const lastGap = closing === undefined ? separator : "\n";
  pieces[pieces.length - 1] = pieceFor(planned, parts.at(-1) as Part, texts.at(-1) as string, lastGap);
  if (closing !== undefined) pieces.push(known.at(-1) as Piece);
  return { parts, texts, pieces };
}

type ToldLine = { readonly at: number; readonly line: Part };

/** The lines that tell of what is missing, by place; and those they stand in for, told before by the edition. */
function toldLines({ whole: rendering, forms, taken }: GivingState) {
  const told: ToldLine[] = [];
  const retold = new Set<Part>();
  for (const { rule, first, kept, missing } of taken) {
    if (missing === 0) continue;
    const left = rule.to === "short" ? undefined : rendering.told?.get(rule.parts ?? "part");
    const earlier = left && !retold.has(left.line) ? left : undefined;
    if (earlier) retold.add(earlier.line);
    told.push({ at: first, line: toldPart(rendering.planned, rule.told, kept, missing + (earlier?.missing ?? 0)) });
  }
  told.sort((one, other) => one.at - other.at);
  if (isDropped(rendering, forms)) for (const part of rendering.parts) if (part.kind === "told") retold.add(part);
  return { told, retold };
}

/**
 * Every part is counted once: one that is short by the rule that only shortens, if it spoke; one that is gone by the rule
 * that may take it.
 */
function takenBy({ forms, rules }: GivingState, rule: GivesWayRule): TakenParts {
  const others = [...rules.keys()].filter((other) => other !== rule && overlaps(other, rule));
  const countsShort = rule.to === "short" || !others.some(({ to }) => to === "short");
  const countsGone = rule.to === "short" ? () => false : goneCountedBy(rule, rules, others);
  let missing = 0;
  let kept = 0;
  let first = forms.length;
  for (const index of (rules.get(rule) as RuleReach).all) {
    const form = forms[index];
    if (form === gone ? !countsGone(index) : form === whole || !countsShort) {
      if (form !== gone) kept++;
    } else {
      missing++;
      if (index < first) first = index;
    }
  }
  return { rule, first, kept, missing };
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
    for (const index of group.flatMap((one) => rules.get(one)?.order ?? []))
      if (!owners.has(index)) owners.set(index, group);
  return (index: number) => (owners.get(index) ?? firstGroup)[0] === rule;
}

/** Is nothing left of a section but told lines? */
export function isDropped({ parts }: Rendering, forms: readonly number[]): boolean {
  for (let index = 0; index < parts.length; index++)
    if (forms[index] !== gone && (parts[index] as Part).kind !== "told") return false;
  return true;
}
