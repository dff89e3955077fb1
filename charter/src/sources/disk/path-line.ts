import { invisible } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";

/** A path as it is, unless its name would break the line. */
export function pathLine(path: string): string {
  return invisible.test(path) || path.includes("\n") ? quoted(path) : path;
}
