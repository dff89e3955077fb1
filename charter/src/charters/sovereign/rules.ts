import type { RulesFor } from "../../agent/declaration.ts";
import type { Guard } from "../../amend/guard.ts";
import { sizeLimit } from "../../amend/guards/size-limit.ts";
import { turnQuota } from "../../amend/guards/turn-quota.ts";
import { turnState } from "../../amend/guards/turn-state.ts";
import { usualGuards } from "../../amend/guards.ts";
import type { Charter } from "../../prompt/charter.ts";

/** Layers 6–9: once a turn, only while actions run, 1 to 4,000 characters, and never a word against 0–5. */
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

/** Tool schemas are rendered from code and never stored in a layer. */
const notToolSchema: Guard = ({ after, placed }) =>
  /"(?:parameters|input_schema|inputSchema)"\s*:\s*\{\s*"(?:type|\$schema|properties)"/.test(after)
    ? { guard: "no-forgery", because: `“${placed.section.name}” would hold a tool's schema; those come from code.` }
    : undefined;
