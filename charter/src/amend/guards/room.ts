import { assemble } from "../../prompt/assemble.ts";
import { allSections, type Charter } from "../../prompt/charter.ts";
import { standingReading } from "../../prompt/gather.ts";
import { unitName } from "../../prompt/measure.ts";
import { Problem } from "../../prompt/problem.ts";
import { boundsOf, type Room } from "../../prompt/room.ts";
import { type RoomLeft, roomLeft } from "../../prompt/room-left.ts";
import type { Readings } from "../../prompt/source.ts";
import { bringsOwnWords, type Change, type Guard, readingGuard } from "../guard.ts";

/**
 * Guard: refuses a change with which the prompt would no longer fit its limit. The objection says how much room is
 * left.
 */
export function room(charter: Charter, readings: Readings, limits: Room = {}): Guard {
  allSections(charter);
  boundsOf(charter, limits);
  return readingGuard((change) => {
    const { name } = change.placed.section;
    if (bringsOwnWords(change) || readings[name] === undefined) return undefined;
    try {
      const changed = withWords(change, readings, change.after);
      const before = roomLeft(charter, withWords(change, readings, change.before), name, limits);
      const short = roomLeft(charter, changed, name, limits).find(
        ({ unit, left, needs }) => needs > left && needs > needed(before, unit),
      );
      if (short) return no(tooMuch(name, short));
      if (before.every(({ left, needs }) => needs <= left)) assemble(charter, changed, limits);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return no(`The prompt would no longer assemble: ${error.message}`);
      throw error;
    }
  });
}

function withWords({ placed, revision }: Change, readings: Readings, text: string): Readings {
  return { ...readings, [placed.section.name]: standingReading(placed.section, { text, revision: revision + 1 }) };
}

/** What a section needs now: words that ask for no more than that are never objected to. */
function needed(before: readonly RoomLeft[], unit: RoomLeft["unit"]): number {
  return before.find((one) => one.unit === unit)?.needs ?? 0;
}

function tooMuch(name: string, { unit, left, limit, needs }: RoomLeft): string {
  return `“${name}” has room for ${left} ${unitName(unit)} beside the other sections (${limit} in all); it would need ${needs}.`;
}

function no(because: string) {
  return { guard: "room", because };
}
