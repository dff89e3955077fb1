import { type Guard, rephrased } from "../../amend/guard.ts";
import type { ToolCall } from "../../delivery/model.ts";
import type { Quote } from "../../delivery/quote.ts";
import { quoteInSession } from "../../delivery/session-quote.ts";
import { findSection } from "../../prompt/charter.ts";
import { withStanding } from "../../prompt/gather.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { AmendmentContext, ProposalOutcome, SecondOpinion } from "../../store/amendments/judge.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { createSecondOpinion } from "../second-opinion.ts";
import type { ProposedChange, ToolContext } from "../tool.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { textsWords } from "./asking/ask-reason.ts";
import { messagesOf } from "./live-session.ts";
import { billOpinion } from "./record.ts";
import { checkSurvival } from "./spending.ts";
import type { TurnState, TurnView } from "./turn-state.ts";

/** What a tool is given of the turn it runs in. */
export function toolContextOf(
  deps: AgentDeps,
  running: TurnView & Pick<TurnState, "bill">,
  call: ToolCall,
): ToolContext {
  const { store, clock } = deps;
  const { id, scope, channel, context, typed, signal, declaration } = running.who;
  // A name of its own for each proposal, whatever ids others gave.
  const asked = sha256(JSON.stringify([id, running.progress.step, call.id])).slice(0, 32);
  let proposals = 0;
  return {
    turn: id,
    scope,
    channel,
    now: clock().toISOString(),
    call: call.id,
    tainted: running.progress.tainted,
    ...(context === undefined ? {} : { context }),
    ...(typed === undefined ? {} : { typed }),
    signal,
    store,
    prompt: running.words.prompt as Prompt,
    messages: [...messagesOf(running.who.session.stretches), ...running.progress.messages],
    standing: async (name) => {
      const { section } = findSection(declaration.charter, name);
      const standing = (await store.standings.read(declaration.charter, scope, declaration.fault))[section.name];
      if (standing && "unavailable" in standing)
        throw new Problem(
          "standing-unavailable",
          `“${name}” could not be read: ${standing.unavailable}`,
          "Try again later.",
        );
      return standing ?? { text: section.original ?? "", revision: 0 };
    },
    propose: async (change) => {
      const idempotencyKey = `${asked}/${proposals++}`;
      const settled = await store.propose(
        { ...(await amendmentContextOf(deps, running)), idempotencyKey },
        { ...change, actor: "agent", turn: id },
      );
      const quote = quoteFor(running, change, settled);
      const answer = quote ? { ...settled, quote } : settled;
      running.who.emit({ kind: "proposed", section: change.section, outcome: answer });
      return answer;
    },
  };
}

/** Where what a turn proposes is judged: by the charter's rules, by what stands then, by how the turn came to be. */
async function amendmentContextOf(
  deps: AgentDeps,
  running: TurnView & Pick<TurnState, "bill">,
): Promise<AmendmentContext> {
  const { declaration, scope, session, tokenizer } = running.who;
  const { tainted, phase } = running.progress;
  const by = tainted ? { taintedBy: textsWords(session.texts) } : {};
  const { charter, fault } = declaration;
  const rulesFor = await declaration.rules();
  const { edition } = running.words.prompt ?? {};
  const room = { tokenizer, ...running.terms.room, ...(edition === undefined ? {} : { edition }) };
  return {
    charter,
    scope,
    turn: { tainted, ...by, amendments: 0, state: phase },
    rules: (section, standing) => {
      const rules = rulesFor(section, withStanding(charter, running.words.readings, standing), room);
      return deps.whenTainted === "hold" ? rules : { ...rules, guards: rules.guards.map(refuseInsteadOfHold) };
    },
    ...(fault ? { fault } : {}),
    secondOpinion: secondOpinionOf(deps, running),
  };
}

/** The adviser is a model as well: while cycles are too few it is not asked, and a person is. */
function secondOpinionOf(deps: AgentDeps, running: TurnView & Pick<TurnState, "bill">): SecondOpinion {
  const { secondOpinion, store, clock, sleep } = deps;
  const { limits } = running.terms;
  return createSecondOpinion({
    ...{ ...secondOpinion, store, limits, clock, sleep, signal: running.who.signal },
    beforeAsk: (request) => checkSurvival(deps, running, request),
    onBill: (bill) => billOpinion(running.bill, bill),
  });
}

/** By policy nothing waits for a person: what would be held is refused. */
function refuseInsteadOfHold(guard: Guard): Guard {
  return rephrased(guard, ({ guard: name, because }) => ({ guard: name, because }));
}

function quoteFor(running: TurnView, change: ProposedChange, settled: ProposalOutcome): Quote | undefined {
  if (settled.verdict === "refused" || settled.verdict === "unchanged") return undefined;
  const { verdict, before, after } = settled;
  const { session, tokenizer } = running.who;
  const { messages } = running.progress;
  return quoteInSession({
    section: change.section,
    verdict,
    before,
    after,
    takesBack: change.operation.kind === "reset" || change.operation.kind === "revert",
    receiver: running.seat.model.receiver,
    tokenizer,
    baseline: session.baseline,
    messages: [...messagesOf(session.stretches), ...messages],
    cold: false,
  });
}
