import { type Charter, defineCharter } from "./charter.ts";

/**
 * A charter as plain data, without its sources: to send it as JSON to a browser or a worker that has the readings.
 * `assemble` makes the same prompt of it there.
 *
 * A section with sources keeps an empty list of them, so that a missing reading is still noticed.
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
