import { badArgument, checkNames, isPromise, kindOf } from "./argument.ts";
import { type Charter, type Edition, type Limit, parseEdition } from "./charter.ts";
import { createShown, cutsOf, fit, inCharacters, inTokens, type ShownSections, sizeTogether } from "./fit.ts";
import { type Cut, type Omission, type Plan, type PlannedSection, planOf, type Rendering } from "./plan.ts";
import { listed, Problem } from "./problem.ts";
import { createPrompt, type Prompt } from "./prompt.ts";
import { empty, isReading, type Notice, notReading, type Reading, type Readings } from "./reading.ts";
import { addStrings, before, isSoundText, render, textOf } from "./rendering.ts";
import { mendedIn, repeatedIn } from "./sound.ts";
import type { Tokenizer } from "./tokens.ts";

/**
 * Builds the prompt from a charter and its readings, trimmed to fit the room. It is pure: the same input gives the same
 * bytes.
 *
 * Renderings and token counts are kept as long as the reading objects live, so a turn costs only what changed. A prompt
 * that cannot fit is a Problem.
 */
export function assemble(charter: Charter, readings: Readings, room: Room = {}): Prompt {
  const plan = planOf(charter);
  const bounds = boundsOf(charter, room);
  if (typeof readings !== "object" || readings === null) throw notReadings(readings);
  const { shown, omitted, notices, cuts } = show(plan, readings, bounds);
  const counted = fitAll(plan, shown, bounds, room);
  for (const cut of cutsOf(shown)) cuts.push(cut);
  for (const { form, section } of cuts)
    if (form === "dropped" && omitted.at(-1)?.name !== section) omitted.push({ name: section, reason: "gave-way" });
  const text = joinSections(shown);
  checkFixed(plan, shown, text);
  for (const rendering of shown.renderings) {
    if (rendering.mended.length > 0 || rendering.overlong) notices.push(...mendedIn(rendering));
    if (plan.headings && rendering.repeated === undefined) rendering.repeated = repeatedIn(rendering, plan.headings);
    if (rendering.repeated) notices.push(rendering.repeated);
  }
  return createPrompt({ charter: charter.name, edition: bounds.edition, text, cuts, omitted, notices }, shown, counted);
}

/**
 * Fits the prompt into every limit, again and again, since the line that tells of a cut in tokens could break the limit in
 * characters. Returns the token count.
 */
function fitAll(plan: Plan, shown: ShownSections, { chars, tokens }: Bounds, room: Room) {
  if (tokens === undefined) {
    if (chars !== undefined) fit(plan, shown, chars, inCharacters);
    return undefined;
  }
  const by = tokenizerOf(room);
  for (;;) {
    if (chars !== undefined) fit(plan, shown, chars, inCharacters);
    const total = fit(plan, shown, tokens, inTokens(by));
    if (chars === undefined || sizeTogether(shown, inCharacters) <= chars) return { by, total };
  }
}

type ShowResult = { shown: ShownSections; omitted: Omission[]; notices: Notice[]; cuts: Cut[] };

export function show(plan: Plan, readings: Readings, { edition }: Bounds): ShowResult {
  const shown = createShown();
  const result: ShowResult = { shown, omitted: [], notices: [], cuts: [] };
  let readCount = 0;
  for (const { own, fallback, within } of plan.layers) {
    let confirmed = fallback.length > 0;
    let separator = plan.between;
    for (let index = 0; index < own.length + (confirmed ? fallback.length : 0); index++) {
      const planned = (index < own.length ? own[index] : fallback[index - own.length]) as PlannedSection;
      const given = readings[planned.name];
      if (given !== undefined) readCount++;
      const reading = given ?? unread(planned, readings);
      if (confirmed && index < own.length) confirmed = isEmpty(planned, reading);
      if (!stands(planned, reading, result, edition)) continue;
      const rendering = render(planned, reading, edition);
      if (rendering.cuts.length > 0) result.cuts.push(...rendering.cuts);
      if (shown.renderings.push(rendering) > 1) shown.separators.push(separator);
      separator = within;
    }
  }
  shown.separators.push("");
  if (readCount !== Object.keys(readings).length) checkReadingNames(plan, readings);
  return result;
}

function notReadings(given: unknown): Problem {
  return new Problem(
    "reading-missing",
    `The readings that assemble was given are ${kindOf(given)}.`,
    "Give assemble what was gathered: assemble(charter, await gather(charter, turn)).",
  );
}

function checkReadingNames(plan: Plan, readings: Readings): void {
  const unknown = Object.keys(readings).find((name) => !plan.byName.has(name));
  if (unknown === undefined) return;
  throw new Problem(
    "unknown-section",
    `There is a reading for “${unknown}”, which is no section of “${plan.charter.name}”.`,
    `Its sections are ${listed(plan.byName.keys())}.`,
  );
}

function isEmpty(planned: PlannedSection, reading: Reading): boolean {
  return reading.status === "empty" && planned.section.words === undefined && planned.section.fallback === undefined;
}

function unread(planned: PlannedSection, readings: Readings): Reading {
  if (!planned.read) return empty;
  throw new Problem(
    "reading-missing",
    `Nothing was read for the section “${planned.name}”${isPromise(readings) ? ": the readings are a promise" : ""}.`,
    isPromise(readings) || "standing" in readings
      ? "Give assemble what was gathered: assemble(charter, await gather(charter, turn))."
      : "Gather the charter's sources first, or give a reading: present, empty or unavailable.",
  );
}

/** Tells whether a section stands in this prompt; if not, says why in `omitted` or `notices`. */
function stands(
  planned: PlannedSection,
  reading: Reading,
  { notices, omitted }: ShowResult,
  edition: Edition,
): boolean {
  if (reading.status === "present" && reading.notices === undefined && edition === "full") return true;
  const { name, words, fallback, compact } = planned.section;
  if (reading.notices) for (const notice of reading.notices) notices.push({ section: name, ...notice });
  if (reading.status === "unavailable") {
    const message = `“${name}” could not be read: ${reading.reason}`;
    notices.push({ code: "source-unavailable", section: name, message });
  }
  if (!isReading(reading)) throw notReading(name, reading);
  const silent = words === undefined && (reading.status === "unavailable" || fallback === undefined);
  if (edition === "compact" && compact === "omit") omitted.push({ name, reason: "not-in-edition" });
  else if (silent && reading.status !== "present") omitted.push({ name, reason: reading.status });
  else return true;
  return false;
}

/** Joins the whole text at once, so that what is new is copied once. Sets where each section ends. */
function joinSections(shown: ShownSections): string {
  const { renderings, separators, ends } = shown;
  const all: string[] = [];
  const unsure: number[] = [];
  let end = 0;
  for (let index = 0; index < renderings.length; index++) {
    const separator = separators[index] as string;
    const rendering = before(separator, renderings[index] as Rendering);
    let next = all.length;
    if (rendering.text === undefined && rendering.stood) textOf(rendering, separator);
    rendering.stood = true;
    addStrings(rendering, all);
    if (!rendering.sound) unsure.push(index);
    for (; next < all.length; next++) end += (all[next] as string).length;
    ends[index] = end;
  }
  const text = all.join("");
  const unsound = unsure.filter(
    (index) => !isSoundText(renderings[index] as Rendering, text.slice(ends[index - 1] ?? 0, ends[index])),
  );
  return unsound.length === 0 ? text : joinSections(shown);
}

function tokenizerOf(room: Room) {
  const { tokenizer } = room;
  if (typeof tokenizer?.count === "function") return tokenizer;
  throw new Problem(
    "no-tokenizer",
    tokenizer === undefined
      ? "A limit in tokens was asked for and no tokenizer was given."
      : `The tokenizer that was given is ${kindOf(tokenizer)}.`,
    'Pass one as `tokenizer`: await loadTokenizer("o200k_base") of charter/tokenizer, or an object with `count`. Or give the limit in characters.',
  );
}

/** Checks a prompt for the last time before it leaves: every fixed word is there, verbatim, in its place. */
function checkFixed(plan: Plan, { renderings, ends }: ShownSections, text: string): void {
  let seen = 0;
  let others: PlannedSection | undefined;
  for (let index = 0; index < renderings.length && seen < plan.fixedCount; index++) {
    const { planned, edition, plain } = renderings[index] as Rendering;
    if (planned.mutability === "fixed") {
      seen++;
      if (others) throw lateFixedWords(planned, others);
      const fixed = planned.fixed[edition];
      const at = (ends[index - 1] ?? 0) + planned.opening[edition].length - fixed.length;
      if (text.slice(at, at + fixed.length) !== fixed) throw alteredFixedWords(planned);
    }
    if (!plain) others ??= planned;
  }
  if (seen !== plan.fixedCount)
    throw alteredFixedWords(plan.sections.find((planned) => planned.mutability === "fixed") as PlannedSection);
}

function lateFixedWords({ section }: PlannedSection, others: PlannedSection): Problem {
  return new Problem(
    "fixed-words-late",
    `The fixed text of “${section.name}” would come after text of others in “${others.section.name}”.`,
    "Put words of a user or of strangers in a section after every fixed one.",
  );
}

function alteredFixedWords(planned: PlannedSection): Problem {
  return new Problem(
    "fixed-words-altered",
    `The fixed text of “${planned.name}” is not complete in the prompt.`,
    "This is a fault in Charter or in a hook: no prompt is sent without them.",
  );
}

/** The limits a prompt must fit, in place of the charter's own, and its edition. Limits in tokens need a tokenizer. */
export type Room = Limit & { readonly edition?: Edition; readonly tokenizer?: Tokenizer };

/** The limits that hold for one prompt: the caller's, else the charter's. */
type Bounds = { readonly edition: Edition; readonly tokens?: number; readonly chars?: number };

/** Checks the names of limits, because one with another name would be no limit at all. */
export function checkRoom(name: string, room: Room): void {
  checkNames<Room>(name, room, ["tokens", "chars", "edition", "tokenizer"]);
}

export function boundsOf(charter: Charter, room: Room): Bounds {
  if (typeof room !== "object" || room === null)
    throw badArgument(
      `The room is ${kindOf(room)}.`,
      "Give limits by name: { chars: 8000 } or { tokens: 2000, tokenizer }.",
    );
  checkRoom("assemble", room);
  const edition = room.edition ?? "full";
  if (edition !== "full") parseEdition(edition);
  const declared = edition === "compact" ? { ...charter.limit, ...charter.limit?.compact } : charter.limit;
  const tokens = room.tokens ?? declared?.tokens;
  const chars = room.chars ?? declared?.chars;
  for (const [name, limit] of [
    ["tokens", tokens],
    ["chars", chars],
  ] as const)
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
      throw new Problem("bad-limit", `The limit of ${limit} ${name} is no whole number.`, "Give a number from 0 up.");
  return { edition, ...(tokens === undefined ? {} : { tokens }), ...(chars === undefined ? {} : { chars }) };
}
