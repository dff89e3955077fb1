import type { RulesFor } from "../../agent/declaration.ts";
import { protectedOpening } from "../../amend/guards/protected-opening.ts";
import { sizeLimit } from "../../amend/guards/size-limit.ts";
import { usualGuards } from "../../amend/guards.ts";
import type { Charter } from "../../prompt/charter.ts";

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
