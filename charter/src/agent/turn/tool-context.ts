import type { Guard } from "../../amend/guard.ts";
import type { ToolCall } from "../../delivery/model.ts";
import type { Quote } from "../../delivery/quote.ts";
import { quoteInSession } from "../../delivery/session-quote.ts";
import { findSection } from "../../prompt/charter.ts";
import { withStanding } from "../../prompt/gather.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Desk, Settled } from "../../store/amendments/context.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import { createSecondOpinion } from "../second-opinion.ts";
import type { ProposedChange, ToolContext } from "../tool.ts";
import { messagesOf } from "./live-session.ts";
import { billOpinion } from "./record.ts";
import type { Running, TurnView, Working } from "./turn-state.ts";

/** What a tool is given of the turn it runs in. */
export function contextOf(working: Working, running: TurnView & Pick<Running, "bill">, call: ToolCall): ToolContext {
  const { store, clock } = working;
  const { id, scope, channel, signal, declaration } = running.who;
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
    signal,
    store,
    prompt: running.words.prompt as Prompt,
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
      const key = `${asked}/${proposals++}`;
      const settled = await store.propose(
        { ...(await deskOf(working, running)), key },
        { ...change, actor: "agent", turn: id },
      );
      const quote = quoteFor(working, running, change, settled);
      const answer = quote ? { ...settled, quote } : settled;
      running.who.tell({ kind: "proposed", section: change.section, settled: answer });
      return answer;
    },
  };
}

/** Where what a turn proposes is judged: by the charter's rules, by what stands then, by how the turn came to be. */
export async function deskOf(working: Working, running: TurnView & Pick<Running, "bill">): Promise<Desk> {
  const { declaration, scope } = running.who;
  const { tainted } = running.progress;
  const { charter, fault } = declaration;
  const rulesFor = await declaration.rules();
  return {
    charter,
    scope,
    turn: { tainted, amendments: 0, state: "ExecutingActions" },
    rules: (section, standing) => {
      const rules = rulesFor(section, withStanding(charter, running.words.readings, standing), working.room);
      return working.tainted === "hold" ? rules : { ...rules, guards: rules.guards.map(refusing) };
    },
    ...(fault ? { fault } : {}),
    secondOpinion: createSecondOpinion({
      ...working.secondOpinion,
      store: working.store,
      limits: working.limits,
      clock: working.clock,
      sleep: working.sleep,
      signal: running.who.signal,
      billed: (bill) => billOpinion(running.bill, bill),
    }),
  };
}

/** By policy nothing waits for a person: what would be held is refused. */
function refusing(guard: Guard): Guard {
  return (change) => {
    const refusal = guard(change);
    return refusal && { guard: refusal.guard, because: refusal.because };
  };
}

function quoteFor(working: Working, running: TurnView, change: ProposedChange, settled: Settled): Quote | undefined {
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
    receiver: working.model.receiver,
    tokenizer,
    baseline: session.baseline,
    messages: [...messagesOf(session.stretches), ...messages],
    cold: false,
  });
}
