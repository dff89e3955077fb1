import { frozen } from "../amend/guards/frozen.ts";
import { propose } from "../amend/ledger.ts";
import type { Proposal } from "../amend/proposal.ts";
import type { Verdict } from "../amend/verdict.ts";
import { findSection } from "../prompt/charter.ts";
import type { Agent } from "../store/agents.ts";
import { type Desk, turnFacts } from "../store/propose.ts";
import { sectionScope } from "../store/scope.ts";
import { sha256 } from "../store/sha256.ts";
import { findStandings } from "../store/standing.ts";
import type { Store } from "../store/store.ts";
import { createTexts } from "../store/text.ts";

/** What would become of a proposal: the same guards on the same words, and a ledger that keeps nothing. */
export async function judge(store: Store, desk: Desk, proposal: Proposal, agent: Agent): Promise<Verdict> {
  const { charter, fault = () => undefined } = desk;
  const { section } = findSection(charter, proposal.section);
  const scope = sectionScope(section, desk.scope);
  const original = section.original ?? "";
  const rules = desk.rules(section.name, await store.standings.read(charter, scope, fault));
  const brake = agent.frozen === null ? [] : [frozen(agent.name, agent.frozen)];
  const verdict = await propose(
    {
      charter,
      scope,
      rules: () => ({ ...rules, guards: [...brake, ...rules.guards] }),
      turn: await store.home.read(scope, (db) => turnFacts(db, scope, proposal, desk.turn)),
      now: () => "",
      sha256,
      ledger: {
        newest: () =>
          store.home.read(scope, async (db) =>
            (await findStandings(db, createTexts(), scope, [section.name], () => original, fault)).get(section.name),
          ),
        textAt: async (_scope, name, revision) => (await store.history.at(scope, name, revision))?.after ?? undefined,
        history: async () => [],
        append: async () => true,
      },
    },
    proposal,
  );
  if (verdict.verdict !== "accepted") return verdict;
  const { amendment: _, ...accepted } = verdict;
  return accepted;
}
