import { assemble } from "../../../prompt/assemble.ts";
import type { Charter } from "../../../prompt/charter.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { boundsOf, type Room } from "../../../prompt/room.ts";
import type { Readings } from "../../../prompt/source.ts";

const { byteLength } = Buffer;

/** What delivery adds to a prompt: a line on how changes are told. */
const spareBytes = 1024;

/**
 * Assembles a prompt of at most so many bytes. Charters count characters: where those of a prompt that is too long take
 * more than a byte each, fewer of them fit, until it does.
 */
export function assembleWithin(charter: Charter, readings: Readings, room: Room, maxBytes: number | undefined): Prompt {
  const whole = assemble(charter, readings, room);
  if (maxBytes === undefined) return whole;
  const limit = Math.max(0, maxBytes - spareBytes);
  const { chars: declared = Number.POSITIVE_INFINITY } = boundsOf(charter, room);
  let prompt = whole;
  for (let chars = Math.min(declared, limit); byteLength(prompt.text) > limit; ) {
    prompt = assemble(charter, readings, { ...room, chars });
    const bytes = byteLength(prompt.text);
    if (chars === 0) return prompt;
    chars = Math.min(chars - 1, Math.floor(chars * (limit / Math.max(bytes, 1))));
  }
  return prompt;
}
