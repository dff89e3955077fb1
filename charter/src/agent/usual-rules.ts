import { sizeLimit } from "../amend/guards/text.ts";
import { usualGuards } from "../amend/guards.ts";
import { allSections, type Charter } from "../prompt/charter.ts";
import type { RulesFor } from "./declaration.ts";

/**
 * Returns the rules of a charter that brings none of its own: the usual guards and a limit of 64 kB. A loop of your own passes
 * them to `store.propose` in its context.
 */
export function usualRules(charter: Charter): RulesFor {
  allSections(charter); // A value that is no charter fails here, and not at the first change.
  return (_section, readings, limits) => ({
    guards: [...usualGuards(charter, readings, limits), sizeLimit({ bytes: 65_536 })],
  });
}
