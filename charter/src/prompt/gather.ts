import { badArgument, checkNames, isFunction, isObject, isPromise, kindOf } from "./argument.ts";
import { allSections, type Charter, findSection, hasSection, sectionMutability } from "./charter.ts";
import { Problem, reasonOf } from "./problem.ts";
import {
  empty,
  fromText,
  isReading,
  join,
  type Reading,
  type Readings,
  readingWanted,
  type Source,
  type SourceContext,
  type Standing,
  unavailable,
} from "./reading.ts";
import { linedReading } from "./rendering.ts";
import type { Layer, Section } from "./section.ts";

/**
 * Limits how long one section's sources are waited for: it is given the pending reading, and may return `unavailable` instead. A
 * source that answers at once is not waited for.
 */
export type ReadingTimeout = (reading: Promise<Reading>, section: string) => Promise<Reading>;

/**
 * Reads all sources of a charter for one turn, in parallel. A source that throws is unavailable. `wait` may limit the
 * time, `wanted` the sections.
 */
export async function gather(
  charter: Charter,
  turn: SourceContext,
  wait: ReadingTimeout = (reading) => reading,
  wanted: (section: Section, layer: Layer) => boolean = () => true,
): Promise<Readings> {
  const all = allSections(charter);
  checkTurn(charter, turn);
  if (!isFunction(wait) || !isFunction(wanted))
    throw badArgument(
      `What gather was given beside charter and turn is ${kindOf(isFunction(wait) ? wanted : wait)}.`,
      "Give functions: (reading, section) => reading, which may stop waiting, and (section, layer) => true.",
    );
  const sections = all.filter(({ section, layer }) => wanted(section, layer));
  const readings: Record<string, Reading> = {};
  // Most sections are there at once: only those whose sources make one wait are waited for, all together.
  const waiting: Promise<void>[] = [];
  for (const { section, layer } of sections) {
    const { name, sources } = section;
    if (sources === undefined) {
      const amendable = typeof sectionMutability(section, layer) === "object";
      readings[name] = amendable ? join(standingReading(section, turn.standing[name])) : join();
      continue;
    }
    // Each keeps its place, whoever answers first.
    readings[name] = empty;
    const given = sources.map((source) => {
      const reading = readSource(source, turn, name);
      return isPromise(reading) ? wait(reading, name) : reading;
    });
    const whole = (all: readonly Reading[]) => {
      readings[name] = join(...all);
    };
    if (given.some(isPromise)) waiting.push(Promise.all(given).then(whole));
    else whole(given as Reading[]);
  }
  await Promise.all(waiting);
  return readings;
}

const turnFields = "agent user channel now zone tools phase callsLeft context again standing".split(
  " ",
) as (keyof SourceContext)[];

/** Checks the turn: sources would fail over a mistake in it one by one, and be taken for unavailable. */
function checkTurn(charter: Charter, turn: SourceContext): void {
  if (isObject(turn)) checkNames("gather", turn, turnFields);
  const { now, tools, standing } = (turn ?? {}) as Partial<SourceContext>;
  if (typeof now === "string" && Number.isNaN(Date.parse(now)))
    throw badArgument(
      "The `now` of the turn is a text that is no instant.",
      "Give an ISO 8601 instant, as in 2026-02-18T09:00:00Z.",
    );
  if (typeof now === "string" && areTools(tools) && isObject(standing)) {
    for (const name in standing) if (!hasSection(charter, name)) findSection(charter, name);
    return;
  }
  const whole =
    "Give gather(charter, { now, tools, standing }): an ISO 8601 instant, a list of { name }, and the current texts by section, {} for none.";
  if (!isObject(turn)) throw badArgument(`The turn that gather was given is ${kindOf(turn)}.`, whole);
  if (typeof now === "string" && Array.isArray(tools) && !areTools(tools))
    throw badArgument("The `tools` of the turn are not all { name }.", whole);
  const [field, value] =
    typeof now !== "string" ? ["now", now] : areTools(tools) ? ["standing", standing] : ["tools", tools];
  throw badArgument(
    `The \`${field}\` of the turn is ${kindOf(value)}.`,
    `${isPromise(value) ? "Await it first. " : ""}${whole}`,
  );
}

function areTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.every((tool) => typeof tool?.name === "string");
}

/**
 * Puts the current text of amendable sections into readings that were gathered before: after an amendment no source has
 * to be read again.
 */
export function withStanding(charter: Charter, readings: Readings, standing: SourceContext["standing"]): Readings {
  const anew = allSections(charter).flatMap(({ section, layer }): [string, Reading][] =>
    typeof sectionMutability(section, layer) === "object" && !section.sources
      ? [[section.name, standingReading(section, standing[section.name])]]
      : [],
  );
  return { ...readings, ...Object.fromEntries(anew) };
}

const readingsBySection = new WeakMap<Section, WeakMap<object, Reading>>();
const noStanding = {};

/** Returns an amendable section's reading: its standing text, else its original. The same standing gives the same reading. */
export function standingReading(section: Section, standing: Standing | undefined): Reading {
  const readings = readingsBySection.get(section) ?? new WeakMap<object, Reading>();
  readingsBySection.set(section, readings);
  const reading = readings.get(standing ?? noStanding) ?? readStanding(section, standing);
  readings.set(standing ?? noStanding, reading);
  return reading;
}

function readStanding(section: Section, standing: Standing | undefined): Reading {
  checkStanding(section, standing);
  if (standing && "unavailable" in standing) return unavailable(standing.unavailable);
  const text = standing?.text ?? section.original ?? "";
  const read = section.read ?? (section.compact === "line" ? linedReading : fromText);
  const reading = readText(section, read, text);
  const notices = standing?.notices ? { notices: [...(reading.notices ?? []), ...standing.notices] } : {};
  if (reading.status !== "present") return { ...reading, ...notices };
  const source = standing === undefined ? "original" : "standing";
  const revision = standing?.revision ?? 0;
  const own = standing === undefined ? { trust: "own" as const } : {};
  return { ...reading, ...notices, parts: reading.parts.map((part) => ({ source, revision, ...own, ...part })) };
}

function checkStanding({ name }: Section, standing: Standing | undefined): void {
  const { text, unavailable: reason } = Object(standing ?? { text: "" }) as { text?: unknown; unavailable?: unknown };
  if (typeof text === "string" || typeof reason === "string") return;
  throw badArgument(
    `The standing of “${name}” is ${kindOf(standing)}.`,
    "Give { text, revision }: the words, and how many amendments led to them, 0 for none. Where nobody could look, { unavailable: reason }.",
  );
}

function readText({ name }: Section, read: (standing: string) => Reading, text: string): Reading {
  try {
    return checkReading(read(text), name);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = reasonOf(error);
    throw new Problem("bad-reading", `“${name}” could not use its current text: ${reason}`, "Fix the section's read.");
  }
}

function readSource(source: Source, turn: SourceContext, section: string): Reading | Promise<Reading> {
  const failed = (error: unknown): Reading => {
    if (error instanceof Problem) throw error;
    return unavailable(reasonOf(error));
  };
  try {
    const given = source(turn);
    if (!isPromise(given)) return checkReading(given, section);
    return Promise.resolve(given)
      .then((read) => checkReading(read, section))
      .catch(failed);
  } catch (error) {
    // Whoever is read beside it is waited for all the same.
    return error instanceof Problem ? Promise.reject(error) : failed(error);
  }
}

function checkReading(reading: Reading, section: string): Reading {
  if (isReading(reading)) return reading;
  throw new Problem("bad-reading", `A source of “${section}” gave something that is no reading.`, readingWanted);
}
