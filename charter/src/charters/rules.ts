import type { RulesFor } from "../agent/declaration.ts";
import { usualRules } from "../agent/usual-rules.ts";
import type { Publisher } from "../amend/amendment.ts";
import type { Guard } from "../amend/guard.ts";
import { turnQuota, turnState } from "../amend/guards/permission.ts";
import { protectedOpening, sizeLimit } from "../amend/guards/text.ts";
import { usualGuards } from "../amend/guards.ts";
import type { Charter } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import type { Reading } from "../prompt/reading.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import { coreSlug, makeBody } from "../sources/core-memory/memory-key.ts";
import { identityFault } from "./assistant/sections.ts";

type Settings = { readonly maxSizeBytes: number; readonly protectedPrefixChars: number };

export function artifactRules(charter: Charter, { maxSizeBytes, protectedPrefixChars }: Settings): RulesFor {
  return (_section, readings, limits) => ({
    opening: protectedPrefixChars,
    guards: [
      ...usualGuards(charter, readings, limits),
      sizeLimit({ bytes: maxSizeBytes }),
      protectedOpening(protectedPrefixChars),
    ],
  });
}

export function assistantRules(charter: Charter): RulesFor {
  return (section, readings, limits) => ({
    guards: [
      ...usualGuards(charter, readings, limits),
      sizeLimit({ bytes: 65_536 }),
      ...(section === "identity" ? [identityIsJson] : []),
    ],
  });
}

const identityIsJson: Guard = ({ after }) => {
  const fault = identityFault(after);
  return fault === undefined ? undefined : { guard: "well-formed", because: `“identity” ${fault}` };
};

/** Returns the rules for layers 6–9: once a turn, only while actions run, 1 to 4,000 characters, and never a word against 0–5. */
export function sovereignRules(charter: Charter): RulesFor {
  return (_section, readings, limits) => ({
    normalise: (words) => words.trim(),
    guards: [
      ...usualGuards(charter, readings, limits),
      sizeLimit({ chars: 4000, minChars: 1 }),
      turnQuota(1),
      turnState(["ExecutingActions"]),
      notToolSchema,
    ],
  });
}

/** Refuses tool schemas: they are rendered from code and never stored in a layer. */
const notToolSchema: Guard = ({ after, placed }) =>
  /"(?:parameters|input_schema|inputSchema)"\s*:\s*\{\s*"(?:type|\$schema|properties)"/.test(after)
    ? { guard: "no-forgery", because: `“${placed.section.name}” would hold a tool's schema; those come from code.` }
    : undefined;

/** Returns the usual rules; a core memory on relays is changed only when it was read, and is published when it changes. */
export async function residentRules(charter: Charter, memory: CoreMemory): Promise<RulesFor> {
  const usual = usualRules(charter);
  const publisher = await publisherOf(memory);
  return (section, readings, limits) => {
    const { guards, ...rules } = usual(section, readings, limits);
    if (section !== coreSlug) return { guards, ...rules };
    const own = [isKnown(readings[coreSlug], publisher), inTime(readings[coreSlug]), fitsAnEvent];
    return { ...rules, guards: [...guards, ...own], ...(publisher instanceof Problem ? {} : { publisher }) };
  };
}

/**
 * Loads the publisher; without a key nothing can be signed, and the Problem is returned. The rules of the other sections hold all
 * the same.
 */
async function publisherOf(memory: CoreMemory): Promise<Publisher | Problem> {
  try {
    return await memory.publisher();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Refuses to overwrite a core memory that could not be read. */
function isKnown(reading: Reading | undefined, publisher: Publisher | Problem): Guard {
  const reason =
    publisher instanceof Problem
      ? publisher.message
      : reading?.status === "present" || reading?.status === "empty"
        ? undefined
        : `it could not be read: ${(reading?.reason ?? "nobody has looked").replace(/\.$/, "")}.`;
  return () =>
    reason === undefined
      ? undefined
      : { guard: "core-unavailable", because: `The core memory cannot be changed now: ${reason} Try again later.` };
}

function inTime(reading: Reading | undefined): Guard {
  const poisoned = reading?.notices?.find(({ code }) => code === "clock-poisoned");
  return () => (poisoned ? { guard: "clock-poisoned", because: poisoned.message } : undefined);
}

const fitsAnEvent: Guard = ({ after }) => {
  const body = makeBody(coreSlug, after);
  return body instanceof Problem ? { guard: "size-limit", because: `${body.message} ${body.hint}` } : undefined;
};
