import { sizeLimit } from "../amend/guards/size-limit.ts";
import { usualGuards } from "../amend/guards.ts";
import type { Charter } from "../prompt/charter.ts";
import type { RulesFor } from "./declaration.ts";

/** What holds for a charter that asks for nothing special. */
export function usualRules(charter: Charter): RulesFor {
  return (_section, readings, limits) => ({
    guards: [...usualGuards(charter, readings, limits), sizeLimit({ bytes: 65_536 })],
  });
}
