import { countCharacters } from "./character.ts";
import type { GivesWayRule } from "./charter.ts";
import {
  type Cut,
  canShorten,
  type Plan,
  type PlannedRule,
  pieceFor,
  type Rendering,
  shortOf,
  toldPart,
} from "./plan.ts";
import { grouped, Problem } from "./problem.ts";
import { descendantsOf, type Part } from "./reading.ts";
import { compose, makePieces, piecesOf } from "./rendering.ts";
import { isSoundPiece } from "./sound.ts";
import { countPiece, countPieces, type Piece, type Tokenizer } from "./tokens.ts";

/**
 * Trims the sections to fit, by the charter's `givesWay`, in its order.
 *
 * Stable sections are fitted beside what state and event sections are *promised*, never beside what they happen to need this
 * turn: else a message in the inbox would move the cached prefix. State is then fitted into what is really left. Returns the size
 * of all sections together.
 */
export function fit(plan: Plan, shown: ShownSections, limit: number, measure: Measure): number {
  const reserve = plan.reserve[measure.unit];
  let total = sizeTogether(shown, measure);
  if (reserve === 0 && total <= limit) return total;
  if (shown.reasons.length === 0) shown.reasons = new Array(shown.sizes.length).fill(undefined);
  shown.because = `The prompt may have ${grouped(limit)} ${unitName(measure.unit)}.`;
  const [stable, moving] = byStability(plan, shown);
  const parting = plan.moves ? partingSize(shown, stable, measure) : 0;
  let stableSize = giveWay(plan, shown, stable, limit - reserve - parting, measure);
  for (let room = limit; ; ) {
    const movingSize = giveWay(plan, shown, moving, room - stableSize, measure);
    total = sumTogether(shown, measure);
    if (total <= limit) return total;
    if (stableSize + movingSize > room) throw noRoom(plan, shown, total, limit, measure);
    room -= total - limit;
    if (moving.length === 0) stableSize = giveWay(plan, shown, stable, room, measure);
  }
}

/**
 * Returns how much more the separators after stable sections would measure at their longest: which one stands there depends on
 * whether state comes between them, and what stable sections give up must not depend on that.
 */
function partingSize(
  { renderings, separators, sizes }: ShownSections,
  stable: readonly number[],
  measure: Measure,
): number {
  let more = 0;
  for (const index of stable) {
    const rendering = renderings[index] as Rendering;
    const separator = separators[index] as string;
    const { within, after } = rendering.planned;
    const longest = within.length > after.length ? within : after;
    if (separator.length >= longest.length) continue;
    more -= sizes[index] as number;
    more += measure.pieces(makePieces(rendering, longest));
  }
  return more;
}

/** Lists the sections that are stable, and those that are not, by their index among those shown. */
export function byStability({ moves }: Plan, { renderings }: ShownSections): [stable: number[], moving: number[]] {
  const stable: number[] = [];
  const moving: number[] = [];
  for (let index = 0; index < renderings.length; index++)
    (!moves || renderings[index]?.planned.stability === "stable" ? stable : moving).push(index);
  return [stable, moving];
}

/**
 * Trims sections that were measured, rule by rule, until they fit `room` or nothing more can be trimmed. Returns their size.
 *
 * Sizes are estimated part by part and made exact only where it may be enough. The words are composed at the end.
 */
export function giveWay(
  plan: Plan,
  shown: ShownSections,
  sections: readonly number[],
  room: number,
  measure: Measure,
): number {
  let size = 0;
  for (const index of sections) size += shown.sizes[index] as number;
  for (let before = Infinity; size > room && size < before; ) {
    before = size;
    size -= applyRules(plan, shown, sections, size - room, measure);
    for (const giving of shown.giving.values())
      if (!giving.isExact) {
        size -= giving.size;
        settle(shown, giving, measure);
        size += giving.size;
      }
  }
  for (const giving of shown.giving.values()) composeLeft(shown, giving, measure);
  return size;
}

/** Applies the rules in order and returns how much was saved, as estimated. */
function applyRules(
  plan: Plan,
  shown: ShownSections,
  sections: readonly number[],
  tooMuch: number,
  measure: Measure,
): number {
  let won = 0;
  const places = sections.length === plan.sections.length ? sections : byPlanIndex(plan, shown, sections);
  for (const planned of plan.rules) {
    const { takesAll, kind, edition } = planned;
    const index = places[planned.index];
    if (index === undefined) continue;
    const rendering = shown.renderings[index] as Rendering;
    if (edition !== undefined && edition !== rendering.edition) continue;
    const { single, parts } = rendering;
    const drops = takesAll && single && !shown.giving.has(index) && (kind === undefined || kind === parts[0]?.kind);
    won += drops
      ? dropSection(shown, index, planned, measure)
      : applyRule(givingAt(shown, index), planned.rule, tooMuch - won, shown, measure);
    if (won >= tooMuch) break;
  }
  return won;
}

function byPlanIndex(
  plan: Plan,
  { renderings }: ShownSections,
  sections: readonly number[],
): readonly (number | undefined)[] {
  const places: (number | undefined)[] = new Array(plan.sections.length).fill(undefined);
  for (const index of sections) places[(renderings[index] as Rendering).planned.index] = index;
  return places;
}

/** Leaves a section's one part out, if that saves anything. Returns how much. */
function dropSection(shown: ShownSections, index: number, { rule, dropped }: PlannedRule, measure: Measure): number {
  const rendering = shown.renderings[index] as Rendering;
  const separator = shown.separators[index] as string;
  const { planned, edition } = rendering;
  dropped[edition] ??= { ...compose(rendering, [toldPart(planned, rule.told, 0, 1)]), droppedBy: rule };
  const won = (shown.sizes[index] as number) - sizeOf(dropped[edition], separator, measure);
  if (won <= 0) return 0;
  putInPlace(shown, index, dropped[edition], measure);
  return won;
}

/** Largest error of an estimated size: a told line and a gap. An estimate nearer to the target than this is made exact. */
const estimateMargin = 12;

/** Applies one rule: its parts are trimmed one by one, first to their short form, then left out. Returns how much was saved. */
function applyRule(
  giving: GivingState,
  rule: GivesWayRule,
  excess: number,
  shown: ShownSections,
  measure: Measure,
): number {
  const { parts, shortens } = giving.whole;
  const spokeBefore = giving.rules.has(rule);
  const reach = giving.rules.get(rule) ?? reachOf(parts, rule);
  if (reach.order.length === 0) return 0;
  const spared = partsSparedBy(rule, giving, reach);
  const before = { size: giving.size, forms: giving.forms.slice() };
  const enough = before.size - excess;
  giving.rules.set(rule, reach);
  if (!spokeBefore) giving.size += toldSize(giving, rule, measure);
  for (let form = shortens ? short : gone; form <= (rule.to === "short" ? short : gone); form++)
    for (const index of reach.order) {
      if (form === gone && spared.size > 0 && isParent(parts[index] as Part, spared)) continue;
      const won = giveUp(giving, index, form, measure);
      if (won === undefined) continue;
      giving.size -= won;
      if (giving.size - estimateMargin > enough) continue;
      settle(shown, giving, measure);
      if (giving.size <= enough) return before.size - giving.size;
    }
  if (giving.size + estimateMargin > before.size) settle(shown, giving, measure);
  if (giving.size < before.size) return before.size - giving.size;
  for (const [index, form] of before.forms.entries()) giving.forms[index] = form;
  giving.size = before.size;
  giving.isExact = false;
  if (!spokeBefore) giving.rules.delete(rule);
  return 0;
}

/** Lists what the sections gave up, for the operator. */
export function cutsOf({ renderings, giving, reasons }: ShownSections): Cut[] {
  const cuts: Cut[] = [];
  for (let index = 0; index < reasons.length; index++) {
    const because = reasons[index];
    if (because === undefined) continue;
    const { planned, droppedBy } = renderings[index] as Rendering;
    const section = planned.name;
    if (droppedBy)
      cuts.push({ section, form: "dropped", kept: 0, missing: 1, unit: droppedBy.parts ?? "parts", because });
    const trimmed = giving.get(index);
    if (!trimmed) continue;
    const form = isDropped(trimmed) ? "dropped" : "shorter";
    for (const { rule, kept, missing } of trimmed.taken) {
      const shape = rule.to === "short" ? "shortened" : form;
      if (missing > 0) cuts.push({ section, form: shape, kept, missing, unit: rule.parts ?? "parts", because });
    }
  }
  return cuts;
}

function noRoom(plan: Plan, { renderings }: ShownSections, total: number, limit: number, measure: Measure): Problem {
  const unit = unitName(measure.unit);
  const largest = renderings
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 3)
    .map(({ planned, size }) => `“${planned.name}” ${grouped(size)}`);
  return new Problem(
    "no-room",
    `The prompt of “${plan.charter.name}” needs ${grouped(total)} ${unit} and may have ${grouped(limit)}, even after trimming. Largest: ${largest.join(", ")}.`,
    "Raise the limit, ask for the compact edition, shorten a section, or let one be trimmed (givesWay).",
  );
}

/** The forms a part can have, each less than the one before. */
const whole = 0;
const short = 1;
const gone = 2;

/** Sections as they will stand, by columns: an object for each would cost more than the work on it. */
export type ShownSections = {
  readonly renderings: Rendering[];
  /** The separator after each section, and where in the text it ends. */
  readonly separators: string[];
  readonly ends: number[];
  /** The sizes as last measured. */
  readonly sizes: number[];
  /** Sections that are trimmed part by part, by index. */
  readonly giving: Map<number, GivingState>;
  /** The limit that first made each section give way, and the one that does now. */
  reasons: (string | undefined)[];
  because: string;
};

export function createShown(): ShownSections {
  return {
    renderings: [],
    separators: [],
    ends: [],
    sizes: [],
    giving: new Map(),
    reasons: [],
    because: "",
  };
}

function putInPlace(shown: ShownSections, index: number, rendering: Rendering, measure: Measure): void {
  shown.renderings[index] = rendering;
  shown.reasons[index] ??= shown.because;
  measureAt(shown, index, measure);
}

/** Indices of all parts that a rule names, and of those it may take, in the order it takes them. */
type RuleReach = { readonly all: readonly number[]; readonly order: readonly number[] };

/** The parts a rule took: how many are kept and missing, and the index of the first missing one. */
type TakenParts = Readonly<{ rule: GivesWayRule; first: number; kept: number; missing: number }>;

/** The parts and texts left of a section; its pieces, where they are known without composing it. */
type LeftParts = Pick<Rendering, "parts" | "texts" | "pieces">;

/** A section that is being trimmed: the form of each of its parts, and the rules that were applied. */
type GivingState = {
  readonly index: number;
  readonly whole: Rendering;
  readonly forms: number[];
  readonly rules: Map<GivesWayRule, RuleReach>;
  /** Ids of the parts that others stand under. */
  readonly parents: ReadonlySet<string | undefined>;
  /** The section's pieces, and the index at which those of its parts begin. */
  readonly pieces: readonly Piece[];
  readonly first: number;
  size: number;
  /** Says that the size is exact, not only estimated part by part. */
  isExact: boolean;
  /** The result of the last settling: what was taken, and what is left until it is composed. */
  taken: TakenParts[];
  left: LeftParts | undefined;
};

/** Returns how far a section is trimmed. One that was trimmed in another unit has the size that was measured in this one. */
function givingAt({ renderings, separators, sizes, giving }: ShownSections, index: number): GivingState {
  const size = sizes[index] as number;
  const known = giving.get(index);
  if (known?.isExact && known.left === undefined) known.size = size;
  if (known) return known;
  const rendering = renderings[index] as Rendering;
  const { planned, edition, parts, nested } = rendering;
  const state: GivingState = {
    index,
    whole: rendering,
    forms: new Array(parts.length).fill(whole),
    rules: new Map(),
    parents: nested ? new Set(parts.map(({ parent }) => parent)) : noParents,
    pieces: piecesOf(rendering, separators[index] as string),
    first: planned.opening[edition] === "" ? 0 : 1,
    size,
    isExact: true,
    taken: [],
    left: undefined,
  };
  giving.set(index, state);
  return state;
}

const noParents: ReadonlySet<string | undefined> = new Set();

/** Lists the parts a rule can take. Parts under different parents take turns. */
function reachOf(parts: readonly Part[], rule: GivesWayRule): RuleReach {
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

/** Returns the ids of parts that a rule may shorten but not leave out, because a part that it keeps stands under them. */
function partsSparedBy(rule: GivesWayRule, { whole: { parts }, parents }: GivingState, reach: RuleReach) {
  const couldTake = rule.keep && reach.order.some((index) => isParent(parts[index] as Part, parents));
  if (!couldTake) return noParents;
  const spared = new Set<string | undefined>();
  const byId = new Map(parts.map((part) => [part.id, part]));
  const taken = new Set(reach.order);
  for (const index of reach.all)
    if (!taken.has(index))
      for (let up = parts[index]?.parent; up !== undefined && !spared.has(up); up = byId.get(up)?.parent)
        spared.add(up);
  return spared;
}

function isParent({ id }: Part, parents: ReadonlySet<string | undefined>): boolean {
  return id !== undefined && parents.has(id);
}

function appliesTo(rule: GivesWayRule, part: Part): boolean {
  return part.kind !== "told" && (rule.parts === undefined || part.kind === rule.parts);
}

function takeTurns(order: number[], parts: readonly Part[]): void {
  const groups = [...Map.groupBy(order, (index) => parts[index]?.parent).values()];
  let at = 0;
  for (let rank = 0; at < order.length; rank++)
    for (const group of groups) if (rank < group.length) order[at++] = group[rank] as number;
}

/**
 * Reduces one part, and what stands under it, to a lesser form. Returns the estimated saving; undefined if there is nothing to
 * give up.
 */
function giveUp(giving: GivingState, index: number, form: number, measure: Measure): number | undefined {
  const { whole: rendering, forms, parents } = giving;
  if ((forms[index] as number) >= form) return undefined;
  const part = rendering.parts[index] as Part;
  if (form === short && !canShorten(part)) return undefined;
  let won = sizeIn(giving, index, measure);
  forms[index] = form;
  giving.isExact = false;
  if (form === short) return won - sizeIn(giving, index, measure);
  if (parents.size > 0 && isParent(part, parents))
    for (const below of descendantsOf(rendering.parts, part)) {
      won += sizeIn(giving, below, measure);
      forms[below] = gone;
    }
  return won;
}

function sizeIn({ whole: rendering, forms, pieces, first }: GivingState, index: number, measure: Measure): number {
  if (forms[index] === gone) return 0;
  if (forms[index] === whole) return measure.piece(pieces[first + index] as Piece);
  return measure.piece(linePiece(rendering, shortOf(rendering.planned, rendering.parts[index] as Part)));
}

/** Returns the size of a told line before its numbers are known. */
function toldSize({ whole: rendering }: GivingState, rule: GivesWayRule, measure: Measure): number {
  return measure.piece(linePiece(rendering, toldPart(rendering.planned, rule.told, 0, 0)));
}

function linePiece({ planned }: Rendering, line: Part): Piece {
  return pieceFor(planned, line, line.text, planned.separator);
}

/**
 * Makes an estimated size exact: from the pieces that are left or, where the words depend on their neighbours, from the composed
 * words.
 */
function settle(shown: ShownSections, giving: GivingState, measure: Measure): void {
  giving.taken = [];
  for (const rule of giving.rules.keys()) giving.taken.push(takenBy(giving, rule));
  giving.isExact = true;
  const left = leftOf(giving, shown.separators[giving.index] as string);
  giving.left = left.pieces && left;
  if (left.pieces) giving.size = measure.pieces(left.pieces);
  else {
    putInPlace(shown, giving.index, compose(giving.whole, left.parts), measure);
    giving.size = shown.sizes[giving.index] as number;
  }
}

/** Composes the words of a section that was settled by its pieces. */
function composeLeft(shown: ShownSections, giving: GivingState, measure: Measure): void {
  const { index, whole: rendering, left, size } = giving;
  if (!left) return;
  const pieces = left.pieces as readonly Piece[];
  const [opens, ends] = [pieces[0]?.opens === true, pieces.at(-1)?.ends === true];
  const separator = shown.separators[index] as string;
  const measured = { separator, size, sizedBy: measure.by, opens, ends };
  putInPlace(shown, index, { ...rendering, ...left, ...measured, text: undefined, stood: false }, measure);
  giving.left = undefined;
}

/** Lists the parts that are left, with a told line where each rule's first missing part stood. */
function leftOf(giving: GivingState, separator: string): LeftParts {
  const { whole: rendering, forms, pieces: wholePieces, first } = giving;
  const { planned, plain, parted } = rendering;
  const { told, retold } = toldLines(giving);
  const parts: Part[] = [];
  const texts: string[] = [];
  const pieces: Piece[] = wholePieces.slice(0, first);
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
    for (; told[next]?.at === index; next++) add(told[next]?.line as Part);
    const form = forms[index];
    const part = rendering.parts[index] as Part;
    if (form === gone || (retold.size > 0 && retold.has(part))) continue;
    if (form === short) add(shortOf(planned, part));
    else {
      parts.push(part);
      texts.push(rendering.texts[index] as string);
      pieces.push(wholePieces[first + index] as Piece);
    }
  }
  if (!tellable || parts.length === 0) return { parts, texts, pieces: undefined };
  const { closing } = planned.section;
  const lastGap = closing === undefined ? separator : "\n";
  pieces[pieces.length - 1] = pieceFor(planned, parts.at(-1) as Part, texts.at(-1) as string, lastGap);
  if (closing !== undefined) pieces.push(wholePieces.at(-1) as Piece);
  return { parts, texts, pieces };
}

/** Makes the lines that tell of missing parts, by place, and lists the edition's own told lines that they replace. */
function toldLines(giving: GivingState) {
  const { whole: rendering, taken } = giving;
  const lines: { at: number; line: Part }[] = [];
  const retold = new Set<Part>();
  for (const { rule, first, kept, missing } of taken) {
    if (missing === 0) continue;
    const left = rule.to === "short" ? undefined : rendering.told?.get(rule.parts ?? "part");
    const earlier = left && !retold.has(left.line) ? left : undefined;
    if (earlier) retold.add(earlier.line);
    lines.push({ at: first, line: toldPart(rendering.planned, rule.told, kept, missing + (earlier?.missing ?? 0)) });
  }
  lines.sort((one, other) => one.at - other.at);
  if (isDropped(giving)) for (const part of rendering.parts) if (part.kind === "told") retold.add(part);
  return { told: lines, retold };
}

/**
 * Counts a rule's parts, each part by one rule only: a short one by the rule that only shortens, if it was applied; one that is
 * gone by the rule that may take it.
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

/** Makes a function that tells which of the parts that are gone a rule counts, beside other rules that leave out such parts. */
function goneCountedBy(rule: GivesWayRule, rules: GivingState["rules"], others: readonly GivesWayRule[]) {
  const taking = [...rules.keys()].filter((one) => one === rule || (others.includes(one) && one.to !== "short"));
  if (taking.length < 2) return () => true;
  // Rules with the same line for the same kind share one line.
  const groups = Map.groupBy(taking, ({ parts = "", told }) => JSON.stringify([parts, told]));
  const [firstGroup = [], ...laterGroups] = groups.values();
  const owners = new Map<number, readonly GivesWayRule[]>();
  for (const group of [firstGroup, ...laterGroups])
    for (const index of group.flatMap((one) => rules.get(one)?.order ?? []))
      if (!owners.has(index)) owners.set(index, group);
  return (index: number) => (owners.get(index) ?? firstGroup)[0] === rule;
}

/** Tells whether nothing but told lines is left of a section. */
function isDropped({ whole: { parts }, forms }: GivingState): boolean {
  for (let index = 0; index < parts.length; index++)
    if (forms[index] !== gone && (parts[index] as Part).kind !== "told") return false;
  return true;
}

/** The unit a prompt is measured in, tokens or characters, and how. */
export type Measure = {
  readonly unit: "tokens" | "chars";
  /** The tokenizer or the word "characters": identifies who measured a stored size. */
  readonly by: unknown;
  readonly piece: (piece: Piece) => number;
  readonly pieces: (pieces: readonly Piece[]) => number;
};

/** Names a unit for a person. */
export function unitName(unit: Measure["unit"]): "tokens" | "characters" {
  return unit === "chars" ? "characters" : unit;
}

export function inTokens(tokenizer: Tokenizer): Measure {
  return {
    unit: "tokens",
    by: tokenizer,
    piece: (piece) => countPiece(piece, tokenizer),
    pieces: (pieces) => countPieces(pieces, tokenizer),
  };
}

export const inCharacters: Measure = { unit: "chars", by: "characters", piece: characters, pieces: sumCharacters };

function characters(piece: Piece): number {
  if (piece.chars < 0) piece.chars = countCharacters(piece.text);
  return piece.chars;
}

function sumCharacters(pieces: readonly Piece[]): number {
  let sum = 0;
  for (const piece of pieces) sum += characters(piece);
  return sum;
}

/** Measures a rendering with this separator, once. */
function sizeOf(rendering: Rendering, separator: string, measure: Measure): number {
  if (rendering.sizedBy !== measure.by || rendering.separator !== separator) {
    const pieces = piecesOf(rendering, separator);
    rendering.size = measure.pieces(pieces);
    rendering.sizedBy = measure.by;
    rendering.opens = pieces[0]?.opens === true;
    rendering.ends = pieces.at(-1)?.ends === true;
  }
  return rendering.size;
}

/** Measures one section, as it stands now. */
function measureAt({ renderings, separators, sizes }: ShownSections, index: number, measure: Measure): void {
  const rendering = renderings[index] as Rendering;
  sizes[index] = sizeOf(rendering, separators[index] as string, measure);
}

/** Measures sections, and all of them joined. */
export function sizeTogether(shown: ShownSections, measure: Measure): number {
  for (let index = 0; index < shown.renderings.length; index++) measureAt(shown, index, measure);
  return sumTogether(shown, measure);
}

/** Measures sections joined: the sum, unless tokens cannot be counted separately between two of them. */
function sumTogether(shown: ShownSections, measure: Measure): number {
  const { renderings, separators, sizes } = shown;
  if (measure.unit === "tokens" && !areApart(renderings))
    return measure.pieces(renderings.flatMap((rendering, index) => piecesOf(rendering, separators[index] as string)));
  let sum = 0;
  for (let index = 0; index < sizes.length; index++) sum += sizes[index] as number;
  return sum;
}

/** Tells whether tokens can be counted separately between all of these. */
function areApart(all: readonly Pick<Piece, "opens" | "ends">[]): boolean {
  for (let index = 1; index < all.length; index++) if (!(all[index - 1]?.ends && all[index]?.opens)) return false;
  return true;
}

/** Returns the tokens of each section; undefined where they cannot be counted separately between two of them. */
export function sizesApart(shown: ShownSections, measure: Measure): number[] | undefined {
  sizeTogether(shown, measure);
  return areApart(shown.renderings) ? [...shown.sizes] : undefined;
}
