import { type Charter, defineCharter } from "./charter.ts";

/**
 * A charter as plain data: what it would read is left out, for whoever has the readings. It goes through JSON and back,
 * and `assemble` makes the same prompt of it, in every room.
 *
 * That a section is read stays said (`sources` is an empty list), so that a missing reading is still missed.
 */
export function charterData(charter: Charter): Charter {
  return JSON.parse(
    JSON.stringify(defineCharter(charter), (field, value) => (field === "sources" ? [] : finite(value))),
  );
}

/** JSON has no word for “as many as there are”. */
function finite(value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : value;
}
