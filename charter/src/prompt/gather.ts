import { allSections, type Charter, sectionMutability } from "./charter.ts";
import type { Layer } from "./layer.ts";
import { Problem, reasonOf } from "./problem.ts";
import { fromText, join, type Reading, unavailable } from "./reading.ts";
import type { Section } from "./section.ts";
import type { Readings, Source, SourceContext, Standing } from "./source.ts";

/**
 * Limits how long one section's sources are waited for: it is given the pending reading, and may return `unavailable`
 * instead.
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
  const sections = allSections(charter).filter(({ section, layer }) => wanted(section, layer));
  const read = sections.map(async ({ section, layer }): Promise<[string, Reading]> => {
    const amendable = typeof sectionMutability(section, layer) === "object";
    const own = amendable && !section.sources ? [standingReading(section, turn.standing[section.name])] : [];
    const given = (section.sources ?? []).map((source) => wait(attempt(source, turn, section.name), section.name));
    return [section.name, join(...own, ...(await Promise.all(given)))];
  });
  return Object.fromEntries(await Promise.all(read));
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

const known = new WeakMap<Section, WeakMap<object, Reading>>();
const noStanding = {};

/** An amendable section's reading: its standing text, else its original. The same standing gives the same reading. */
export function standingReading(section: Section, standing: Standing | undefined): Reading {
  const readings = known.get(section) ?? new WeakMap<object, Reading>();
  known.set(section, readings);
  const reading = readings.get(standing ?? noStanding) ?? readStanding(section, standing);
  readings.set(standing ?? noStanding, reading);
  return reading;
}

function readStanding(section: Section, standing: Standing | undefined): Reading {
  if (standing && "unavailable" in standing) return unavailable(standing.unavailable);
  const text = standing?.text ?? section.original ?? "";
  const reading = section.read ? made(section, section.read, text) : fromText(text);
  const notices = standing?.notices ? { notices: [...(reading.notices ?? []), ...standing.notices] } : {};
  if (reading.status !== "present") return { ...reading, ...notices };
  const source = standing === undefined ? "original" : "standing";
  const revision = standing?.revision ?? 0;
  const own = standing === undefined ? { trust: "own" as const } : {};
  return { ...reading, ...notices, parts: reading.parts.map((part) => ({ source, revision, ...own, ...part })) };
}

function made({ name }: Section, read: (standing: string) => Reading, text: string): Reading {
  try {
    return checkReading(read(text), name);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = reasonOf(error);
    throw new Problem(
      "bad-reading",
      `“${name}” made no words of its standing text: ${reason}`,
      "Mend the section's read.",
    );
  }
}

async function attempt(source: Source, turn: SourceContext, section: string): Promise<Reading> {
  try {
    return checkReading(await source(turn), section);
  } catch (error) {
    if (error instanceof Problem) throw error;
    return unavailable(reasonOf(error));
  }
}

function checkReading(reading: Reading, section: string): Reading {
  const sound =
    reading?.status === "empty" ||
    (reading?.status === "unavailable" && typeof reading.reason === "string") ||
    (reading?.status === "present" &&
      Array.isArray(reading.parts) &&
      reading.parts.every((part) => typeof part?.text === "string"));
  if (sound) return reading;
  throw new Problem(
    "bad-reading",
    `A source of “${section}” gave something that is no reading.`,
    'Give { status: "present", parts: [{ text }] }, { status: "empty" } or { status: "unavailable", reason }.',
  );
}
