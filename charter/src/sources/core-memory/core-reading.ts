import type { Notice } from "../../prompt/notice.ts";
import type { Part } from "../../prompt/part.ts";
import { empty, type Reading } from "../../prompt/reading.ts";
import type { CoreLook } from "./look-at-core.ts";
import type { MemoryKey } from "./memory-key.ts";
import { coreSlug } from "./slug.ts";

/** The part of the same words again is the same object, so that nobody renders or counts them anew. */
type CorePart = (text: string, source: string, revision: number) => Part;

export function createCorePart(): CorePart {
  let last: Part | undefined;
  return (text, source, revision) => {
    if (last?.text !== text || last.source !== source || last.revision !== revision) last = { text, source, revision };
    return last;
  };
}

/** What the prompt shows of a core memory, and where it comes from. */
export function coreReading({ found, standing, refused }: CoreLook, key: MemoryKey, part: CorePart): Reading {
  const notices = [...found.notices, ...(refused === undefined ? [] : [notFollowed(refused)])];
  const told = notices.length > 0 ? { notices } : {};
  if (found.status === "unavailable") return { status: "unavailable", reason: found.reason, ...told };
  if (refused !== undefined) {
    // Words that were kept under other keys are not this agent's.
    if (standing.text.trim() === "" || !standing.isOfKey) return { status: "unavailable", reason: refused, ...told };
    return { status: "present", parts: [part(standing.text, "standing", standing.revision)], ...told };
  }
  if (found.status === "empty") return notices.length > 0 ? { status: "empty", notices } : empty;
  const where = found.relay === undefined ? "not published yet" : `from ${found.relay}`;
  const source = `Nostr event ${found.event}, ${where}, by ${key.npub}`;
  return { status: "present", parts: [part(found.text, source, standing.revision)], ...told };
}

/** The same from the store alone. */
export function standingPart(standing: { readonly text: string; readonly revision: number }, part: CorePart): Reading {
  if (standing.text.trim() === "") return empty;
  return { status: "present", parts: [part(standing.text, "standing", standing.revision)] };
}

function notFollowed(because: string): Notice {
  const message = `The core memory on the relays is another one, and was not taken over: ${because}`;
  return { code: "core-memory-not-followed", section: coreSlug, message };
}
