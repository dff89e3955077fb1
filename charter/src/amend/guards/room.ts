import { assemble } from "../../prompt/assemble.ts";
import type { Charter } from "../../prompt/charter.ts";
import { standingReading } from "../../prompt/gather.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Room } from "../../prompt/room.ts";
import { roomLeft } from "../../prompt/room-left.ts";
import type { Readings } from "../../prompt/source.ts";
import { bringsOwnWords, type Guard } from "../guard.ts";

/** The whole prompt must still assemble, with what state was promised; the objection states what is left. */
export function room(charter: Charter, readings: Readings, limits: Room = {}): Guard {
  return (change) => {
    const { placed, after, before, revision } = change;
    const { name } = placed.section;
    if (bringsOwnWords(change) || after.length <= before.length || readings[name] === undefined) return undefined;
    try {
      const changed = { ...readings, [name]: standingReading(placed.section, { text: after, revision: revision + 1 }) };
      const short = roomLeft(charter, changed, name, limits).find(({ left, needs }) => needs > left);
      if (!short) {
        assemble(charter, changed, limits);
        return undefined;
      }
      const unit = short.unit === "chars" ? "characters" : "tokens";
      return no(
        `“${name}” has room for ${short.left} ${unit} beside the other sections (${short.limit} in all); it would need ${short.needs}.`,
      );
    } catch (error) {
      if (error instanceof Problem) return no(`The prompt would no longer assemble: ${error.message}`);
      throw error;
    }
  };
}

function no(because: string) {
  return { guard: "room", because };
}
