import { sizeLimit } from "../amend/guards/text.ts";
import { usualGuards } from "../amend/guards.ts";
import { allSections, type Charter } from "../prompt/charter.ts";
import type { RulesFor } from "./declaration.ts";

/**
 * The rules of a charter that brings none of its own: the usual guards and a limit of 64 kB. An own loop passes them to
 * `store.propose` in its context.
 */
export function usualRules(charter: Charter): RulesFor {
  allSections(charter); // What is no charter is named here, and not by the first change.
  return (_section, readings, limits) => ({
    guards: [...usualGuards(charter, readings, limits), sizeLimit({ bytes: 65_536 })],
  });
}
