import {
  checkContext,
  checkProposal,
  checkRules,
  type Proposal,
  type ReportableOutcome,
  type Rules,
  type Verdict,
} from "../../amend/amend.ts";
import type { Amendment, PublicationOutcome, Scope } from "../../amend/amendment.ts";
import { quietTurn, type TurnFacts } from "../../amend/guard.ts";
import { frozen } from "../../amend/guards/permission.ts";
import { type Ledger, propose as proposeTo } from "../../amend/ledger.ts";
import type { Opinion, OpinionRequest } from "../../amend/second-opinion.ts";
import type { Charter } from "../../prompt/charter.ts";
import type { Standing } from "../../prompt/reading.ts";
import { type AgentRecord, requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { countRows, ownRows } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { isCounterpart, placeProposal } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";
import type { Texts } from "../texts/text.ts";
import type { Expense } from "../turns/spending.ts";
import { findTurnUser } from "../turns/turn.ts";
import { amendmentAt, isIntactAmendment } from "./amendments.ts";
import { type ScopedStanding, type StandingFault, standingOf, standingsOf } from "./standing.ts";

/**
 * `store.judge`: what would happen to a proposal, by the same guards and text; nothing is stored. `newcomer`: an agent that is
 * not in the store yet.
 */
export type Judge = (desk: AmendmentContext, proposal: Proposal, newcomer?: AgentRecord) => Promise<Verdict>;

export function createJudge(deps: StoreDeps): Judge {
  return async (desk, proposal, newcomer) => {
    checkContext("store.judge", desk);
    checkProposal(proposal);
    const { scope, section, reach } = placeProposal(desk, proposal);
    return deps.home.read(reach, async (db) => {
      const wish = { ...proposal, section };
      const agent = newcomer ?? (await requireAgent(db, scope.agent));
      const ofTurn = wish.turn === undefined ? undefined : await findTurnUser(db, wish.turn);
      const user = turnUser(ofTurn?.user_id, desk);
      const { verdict } = await consider(deps, db, { ...desk, scope, agent, user }, wish);
      const { amendment: _, ...answer } = await verdict(async () => {});
      return answer;
    });
  };
}

/** Returns the user in whose turn a change is proposed; of a turn that is not in the store, and without one, the door's user. */
export function turnUser(ofTurn: string | undefined, { scope, turn }: AmendmentContext): string | undefined {
  const user = ofTurn ?? scope.user ?? turn?.user ?? "";
  return user === "" || isCounterpart(user) ? undefined : user;
}

type Append = (amendment: Amendment) => Promise<void>;

type Consideration = {
  readonly rules: Rules;
  /** Revision at the end of the section's hash chain. */
  readonly revision: number;
  readonly verdict: (append: Append) => Promise<Verdict & { readonly amendment?: Amendment }>;
};

/** Reads everything that a verdict depends on, in one transaction. */
export async function consider(
  { texts, now }: StoreDeps,
  db: Database,
  context: AmendmentContext & { readonly agent: AgentRecord; readonly user: string | undefined },
  proposal: Proposal,
): Promise<Consideration> {
  const { scope, charter, agent, user, fault = () => undefined, idempotencyKey } = context;
  const standings = await standingsOf({ db, texts, fault }, charter, scope);
  const standing = Object.fromEntries(standings.map(({ section, found }) => [section, standingOf(section, found)]));
  const given = context.rules(proposal.section, standing);
  checkRules(given);
  const brake = agent.frozen === null ? [] : [frozen(agent.name, agent.frozen)];
  const rules = { ...given, guards: [...brake, ...given.guards] };
  const { user: _, ...facts } = await turnFacts(db, scope, proposal, context.turn);
  const turn = user === undefined ? facts : { ...facts, user };
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

/** Makes the ledger of one transaction. */
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

/**
 * Context by which `store.propose` judges a proposal: the charter, the scope, and the rules of each section, given the current
 * text of all sections.
 */
export type AmendmentContext = {
  readonly charter: Charter;
  readonly scope: Scope;
  readonly rules: (section: string, standing: Readonly<Record<string, Standing>>) => Rules;
  readonly fault?: StandingFault;
  readonly turn?: TurnFacts;
  /** Key of the request: a proposal that is sent again with the same key is not made again. */
  readonly idempotencyKey?: string;
  /** Shows that the change was made where the section is also kept: it is recorded, and no model is asked about it. */
  readonly madeElsewhere?: true;
  /** Chooses a model to judge what the guards accept from agents and users. */
  readonly secondOpinion?: SecondOpinion;
};

/** The result of `store.propose`: the verdict, and what was stored. */
export type ProposalOutcome = Verdict & {
  readonly amendment?: Amendment;
  /** Id to approve or reject it by, if it waits for a person. */
  readonly held?: string;
  /** Present if the proposal was decided before, with the same key. */
  readonly repeated?: true;
  /** Result of publishing the section where it is also kept. */
  readonly publication?: PublicationOutcome;
};

type RefusedOutcome = Extract<ReportableOutcome, { verdict: "refused" }>;

/** Tells whether a proposal was refused because the section's text has changed since: approving it again cannot help. */
export function isStale(outcome: ReportableOutcome): outcome is RefusedOutcome {
  return outcome.verdict === "refused" && outcome.refusals.some(({ guard }) => guard === "stale-revision");
}

/** A model that is asked to judge a change. It is asked outside of any transaction. */
export type Adviser = {
  readonly model: string;
  readonly ask: (about: OpinionRequest, scope: Scope) => Promise<AdviserResult>;
};

/** A judgement, and what it cost. */
export type AdviserResult = { readonly opinion: Opinion; readonly spent?: Expense };

/**
 * Chooses the adviser for a change, given the model named in the agent's settings; `undefined` if there is none.
 * `createSecondOpinion` in `charter/agent` makes one.
 */
export type SecondOpinion = (setting: string | undefined) => Adviser | undefined;
