import { factsOf } from "../../charters/facts.ts";
import { standingFields } from "../../host/agent-settings.ts";
import type { SnapshotQuery } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import { readJson } from "../../sources/input-file.ts";

/** Query for a host about an agent, with facts of the turn that are not stored, from a file. */
export function agentQuery({
  agent,
  user,
  channel,
  input,
}: { readonly [Name in "user" | "channel" | "input"]?: string | undefined } & {
  readonly agent: string;
}): SnapshotQuery {
  const facts = input === undefined ? {} : checkTurnFacts(readJson(input, "facts file"));
  return { agent, user: user ?? (typeof facts.user === "string" ? facts.user : undefined), channel, facts };
}

/**
 * Checks facts that come with an agent: they describe one turn only. The agent's texts are in the store, and facts cannot replace
 * them.
 */
function checkTurnFacts(facts: unknown): Readonly<Record<string, unknown>> {
  const turnFacts = factsOf(facts).value as Record<string, unknown>;
  const standing = standingFields(turnFacts);
  if (standing.length === 0) return turnFacts;
  throw new Problem(
    "bad-facts",
    `The facts contain “${standing.join("”, “")}”, but an agent's current texts are in the database.`,
    "Take it out, or give --charter instead of --agent.",
  );
}
