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
 * Returns how much more the separators after stable sections would measure at their longest: which one stands there depends on
 * whether state comes between them, and what stable sections give up must not depend on that.
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
 * Trims sections, rule by rule, until they fit `room` or nothing more can be trimmed.
 *
 * Sizes are estimated part by part and made exact only where it may be enough. The words are composed at the end.
 */
export function giveWay(plan: Plan, sections: readonly ShownSection[], room: number, measure: Measure): void {
  let size = sizeOfAll(sections);
  for (let before = Infinity; size > room && size < before; ) {
    before = size;
    size -= applyRules(plan, sections, size - room, measure);
    for (const one of sections)
      if (one.giving !== undefined && !one.giving.isExact) {
        size -= one.size;
        settle(one, one.giving, measure);
        size += one.size;
      }
  }
  for (const one of sections) composeLeft(one, measure);
}

/** Applies the rules in order and returns how much was saved, as estimated. */
function applyRules(plan: Plan, sections: readonly ShownSection[], tooMuch: number, measure: Measure): number {
  let won = 0;
  const byIndex = sections.length === plan.sections.length ? sections : byPlanIndex(plan, sections);
  for (const planned of plan.rules) {
    const { index, takesAll, kind, edition } = planned;
    const one = byIndex[index];
    if (one === undefined || (edition !== undefined && edition !== one.rendering.edition)) continue;
    const { single, parts } = one.rendering;
    const drops = takesAll && single && one.giving === undefined && (kind === undefined || kind === parts[0]?.kind);
    won += drops ? dropSection(one, planned, measure) : applyRule(one, planned.rule, tooMuch - won, measure);
    if (won >= tooMuch) break;
  }
  return won;
}

function byPlanIndex(plan: Plan, sections: readonly ShownSection[]): readonly (ShownSection | undefined)[] {
  const byIndex: (ShownSection | undefined)[] = new Array(plan.sections.length).fill(undefined);
  for (const one of sections) byIndex[one.rendering.planned.index] = one;
  return byIndex;
}

/** Leaves a section's one part out, if that saves anything. Returns how much. */
function dropSection(one: ShownSection, { rule, dropped }: PlannedRule, measure: Measure): number {
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

/** Largest error of an estimated size: a told line and a gap. An estimate nearer to the target than this is made exact. */
const estimateMargin = 12;

/** Applies one rule: its parts are trimmed one by one, first to their short form, then left out. Returns how much was saved. */
function applyRule(one: ShownSection, rule: GivesWayRule, excess: number, measure: Measure): number {
  one.giving ??= createGivingState(one);
  const { giving } = one;
  const { parts, shortens } = giving.whole;
  const spokeBefore = giving.rules.has(rule);
  const reach = giving.rules.get(rule) ?? reachOf(parts, rule);
  if (reach.order.length === 0) return 0;
  const spared = partsSparedBy(rule, giving, reach);
  const before = { size: one.size, forms: giving.forms.slice() };
  const enough = before.size - excess;
  giving.rules.set(rule, reach);
  if (!spokeBefore) one.size += toldSize(giving, rule, measure);
  for (let form = shortens ? short : gone; form <= (rule.to === "short" ? short : gone); form++)
    for (const index of reach.order) {
      if (form === gone && spared.size > 0 && isParent(parts[index] as Part, spared)) continue;
      const won = giveUp(giving, index, form, measure);
      if (won === undefined) continue;
      one.size -= won;
      if (one.size - estimateMargin > enough) continue;
      settle(one, giving, measure);
      if (one.size <= enough) return before.size - one.size;
    }
  if (one.size + estimateMargin > before.size) settle(one, giving, measure);
  if (one.size < before.size) return before.size - one.size;
  for (const [index, form] of before.forms.entries()) giving.forms[index] = form;
  one.size = before.size;
  giving.isExact = false;
  if (!spokeBefore) giving.rules.delete(rule);
  return 0;
}

/** Lists what the sections gave up, for the operator. */
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

/** The forms a part can have, each less than the one before. */
const whole = 0;
const short = 1;
const gone = 2;

/** A section as it will stand: its words, the separator after it, and, while it is trimmed, how far. */
export type ShownSection = ShownWords & {
  giving: GivingState | undefined;
  dropped: GivesWayRule | undefined;
  /** The limit that first made the section give way. */
  reason: string | undefined;
};

/** Indices of all parts that a rule names, and of those it may take, in the order it takes them. */
type RuleReach = { readonly all: readonly number[]; readonly order: readonly number[] };

/** The parts a rule took: how many are kept and missing, and the index of the first missing one. */
type TakenParts = Readonly<{ rule: GivesWayRule; first: number; kept: number; missing: number }>;

/** The parts and texts left of a section; its pieces, where they are known without composing it. */
type LeftParts = Pick<Rendering, "parts" | "texts" | "pieces">;

/** A section that is being trimmed: the form of each of its parts, and the rules that were applied. */
type GivingState = {
  readonly whole: Rendering;
  readonly forms: number[];
  readonly rules: Map<GivesWayRule, RuleReach>;
  /** Ids of the parts that others stand under. */
  readonly parents: ReadonlySet<string | undefined>;
  /** The section's pieces, and the index at which those of its parts begin. */
  readonly pieces: readonly Piece[];
  readonly first: number;
  /** Says that the size is exact, not only estimated part by part. */
  isExact: boolean;
  /** The result of the last settling: what was taken, and what is left until it is composed. */
  taken: TakenParts[];
  left: LeftParts | undefined;
};

function createGivingState({ rendering, separator }: ShownWords): GivingState {
  const { planned, edition, parts, nested } = rendering;
  return {
    whole: rendering,
    forms: new Array(parts.length).fill(whole),
    rules: new Map(),
    parents: nested ? new Set(parts.map(({ parent }) => parent)) : noParents,
    pieces: piecesOf(rendering, separator),
    first: planned.opening[edition] === "" ? 0 : 1,
    isExact: true,
    taken: [],
    left: undefined,
  };
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
  const part = rendering.parts[index] as Part;
  if ((forms[index] as number) >= form || (form === short && !canShorten(part))) return undefined;
  let won = sizeIn(giving, index, measure);
  forms[index] = form;
  giving.isExact = false;
  if (form === short) return won - sizeIn(giving, index, measure);
  if (isParent(part, parents))
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
function settle(one: ShownSection, giving: GivingState, measure: Measure): void {
  giving.taken = [];
  for (const rule of giving.rules.keys()) giving.taken.push(takenBy(giving, rule));
  giving.isExact = true;
  const left = leftOf(giving, one.separator);
  giving.left = left.pieces && left;
  if (left.pieces) one.size = measure.pieces(left.pieces);
  else {
    one.rendering = compose(giving.whole, left.parts);
    measureSection(one, measure);
  }
}

/** Composes the words of a section that was settled by its pieces. */
function composeLeft(one: ShownSection, measure: Measure): void {
  const { giving, separator } = one;
  if (!giving?.left) return;
  one.rendering = { ...giving.whole, ...giving.left, text: undefined, separator, sizedBy: undefined };
  giving.left = undefined;
  measureSection(one, measure);
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
function toldLines({ whole: rendering, forms, taken }: GivingState) {
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
  if (isDropped(rendering, forms)) for (const part of rendering.parts) if (part.kind === "told") retold.add(part);
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
function isDropped({ parts }: Rendering, forms: readonly number[]): boolean {
  for (let index = 0; index < parts.length; index++)
    if (forms[index] !== gone && (parts[index] as Part).kind !== "told") return false;
  return true;
}

/**
 * A section's rendering and the separator after it; its size, and whether tokens can be counted separately before it (`opens`)
 * and after it (`ends`).
 */
export type ShownWords = {
  rendering: Rendering;
  separator: string;
  size: number;
  opens: boolean;
  ends: boolean;
};

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

function measureSection(one: ShownWords, measure: Measure): void {
  const { rendering } = one;
  one.size = sizeOf(rendering, one.separator, measure);
  one.opens = rendering.opens;
  one.ends = rendering.ends;
}

/** Adds up the sizes of sections that were measured. */
export function sizeOfAll(sections: readonly ShownWords[]): number {
  let sum = 0;
  for (const { size } of sections) sum += size;
  return sum;
}

/** Measures sections joined: the sum, unless tokens cannot be counted separately between two of them. */
function sizeTogether(sections: readonly ShownWords[], measure: Measure): number {
  if (measure.unit === "chars" || areApart(sections)) return sizeOfAll(sections);
  return measure.pieces(sections.flatMap(({ rendering, separator }) => piecesOf(rendering, separator)));
}

/** Tells whether tokens of sections that were measured can be counted separately between all of them. */
function areApart(sections: readonly ShownWords[]): boolean {
  for (let index = 1; index < sections.length; index++)
    if (!(sections[index - 1]?.ends && sections[index]?.opens)) return false;
  return true;
}

/** Returns the tokens of each section; undefined where they cannot be counted separately between two of them. */
export function sizesApart(sections: readonly ShownWords[], measure: Measure): number[] | undefined {
  for (const one of sections) measureSection(one, measure);
  return areApart(sections) ? sections.map(({ size }) => size) : undefined;
}

export function measureTogether(sections: readonly ShownWords[], measure: Measure): number {
  for (const one of sections) measureSection(one, measure);
  return sizeTogether(sections, measure);
}
