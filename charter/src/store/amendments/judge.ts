import type { Rules } from "../../amend/amend.ts";
import type { Amendment, Scope } from "../../amend/amendment.ts";
import { checkContext, checkProposal, checkRules } from "../../amend/check-proposal.ts";
import { quietTurn, type TurnFacts } from "../../amend/guard.ts";
import { frozen } from "../../amend/guards/frozen.ts";
import { type Ledger, propose as proposeTo } from "../../amend/ledger.ts";
import type { Proposal } from "../../amend/proposal.ts";
import type { Verdict } from "../../amend/verdict.ts";
import { type AgentRecord, requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { countRows, ownRows } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { placeProposal } from "../scope.ts";
import { sha256 } from "../texts/sha256.ts";
import type { Texts } from "../texts/text.ts";
import { amendmentAt, isIntactAmendment } from "./amendments.ts";
import type { AmendmentContext } from "./context.ts";
import { type ScopedStanding, standingOf, standingsOf } from "./standing.ts";

/**
 * `store.judge`: what would happen to a proposal, by the same guards and text; nothing is stored. `newcomer`: an agent
 * that is not in the store yet.
 */
export type Judge = (desk: AmendmentContext, proposal: Proposal, newcomer?: AgentRecord) => Promise<Verdict>;

export function createJudge(deps: StoreDeps): Judge {
  return async (desk, proposal, newcomer) => {
    checkContext("store.judge", desk);
    checkProposal(proposal);
    const { scope, section } = placeProposal(desk, proposal);
    return deps.home.read(scope, async (db) => {
      const asked = { ...proposal, section };
      const agent = newcomer ?? (await requireAgent(db, scope.agent));
      const { verdict } = await consider(deps, db, { ...desk, scope, agent }, asked);
      const { amendment: _, ...answer } = await verdict(async () => {});
      return answer;
    });
  };
}

type Append = (amendment: Amendment) => Promise<void>;

type Consideration = {
  readonly rules: Rules;
  /** Where the section's chain ends now. */
  readonly revision: number;
  readonly verdict: (append: Append) => Promise<Verdict & { readonly amendment?: Amendment }>;
};

/** Everything a verdict hangs on, read in one transaction. */
export async function consider(
  { texts, now }: StoreDeps,
  db: Database,
  context: AmendmentContext & { readonly agent: AgentRecord },
  proposal: Proposal,
): Promise<Consideration> {
  const { scope, charter, agent, fault = () => undefined, idempotencyKey } = context;
  const standings = await standingsOf({ db, texts, fault }, charter, scope);
  const standing = Object.fromEntries(standings.map(({ section, found }) => [section, standingOf(section, found)]));
  const given = context.rules(proposal.section, standing);
  checkRules(given);
  const brake = agent.frozen === null ? [] : [frozen(agent.name, agent.frozen)];
  const rules = { ...given, guards: [...brake, ...given.guards] };
  const turn = await turnFacts(db, scope, proposal, context.turn);
  const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
  const verdict = (append: Append) => {
    const ledger = ledgerOf(db, texts, standings, append);
    return proposeTo({ charter, scope, rules: () => rules, turn, now, sha256, ledger, ...keyed }, proposal);
  };
  const revision = standings.find((one) => one.section === proposal.section)?.found.revision ?? 0;
  return { rules, revision, verdict };
}

async function turnFacts(db: Database, scope: Scope, { turn }: Proposal, given = quietTurn): Promise<TurnFacts> {
  if (turn === undefined) return given;
  const made = await countRows(db, "amendments", sql`${ownRows(scope)} and turn = ${turn}`);
  return { ...given, amendments: Math.max(given.amendments, made) };
}

/** The ledger of one transaction. */
function ledgerOf(db: Database, texts: Texts, standings: readonly ScopedStanding[], append: Append): Ledger {
  return {
    newest: async (_scope, section) => standings.find((one) => one.section === section)?.found,
    textAt: async (scope, section, revision) => {
      const row = await amendmentAt(db, scope, section, revision);
      return row?.erased_at === null && isIntactAmendment(row)
        ? texts.get(db, row.user_id, row.after_digest)
        : undefined;
    },
    append: async (amendment) => {
      await append(amendment);
      return true;
    },
  };
}
