import type { Notice } from "../prompt/notice.ts";
import { Problem } from "../prompt/problem.ts";
import { factsOf } from "./facts.ts";
import { loadCharter, withUnknown } from "./load.ts";

/** Words that stand are the store's alone: nobody else's are put in their place. */
export function wordsThatStand(facts: object): string[] {
  return ["standing", "revisions", "identity"].filter((name) => Object.hasOwn(facts, name));
}

/** Settings an agent is given are originals and facts; words that stand come by amendments only. */
export function checkSettings(settings: unknown): Readonly<Record<string, unknown>> {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new Problem(
      "bad-settings",
      "An agent's settings are a JSON object.",
      "See docs/facts.md for what it may say.",
    );
  const standing = wordsThatStand(settings);
  if (standing.length > 0)
    throw new Problem(
      "bad-settings",
      `The settings hold “${standing.join("”, “")}”: words that stand are changed by amendments, not by settings.`,
      'Give what a section is born with as "original", or use `charter amend`.',
    );
  return settings as Record<string, unknown>;
}

/** Whether a charter understands an agent's settings; what it will not read comes back as notices. */
export async function checkSetUp(
  { name, charter, settings }: { readonly name: string; readonly charter: string; readonly settings: object },
  clock: () => Date,
): Promise<readonly Notice[]> {
  const facts = factsOf({ ...settings, agent: name });
  return withUnknown((await loadCharter(charter))(facts, clock), facts).notices;
}
