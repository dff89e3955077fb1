import { decisionWords } from "../agent/held-question.ts";
import { Problem } from "../prompt/problem.ts";
import type { Link } from "../store/channels/links.ts";
import { isTransient } from "./loop.ts";
import type { ChannelDeps } from "./sender.ts";
import { type Decision, decisionOf } from "./telegram/deliver-to.ts";

/** A message to the agent in the user's name, so that an approved call is done now and not with the user's next message. */
export type FollowUp = { readonly id: string; readonly text: string };

/** What the person who pressed a button is told. */
type Decided = {
  readonly says: string;
  /** Says that it was asked of them, and is decided, now or before: nothing is left to press. */
  readonly isDecided: boolean;
  readonly followUp?: FollowUp;
};

export const nothingHere = "There is nothing to decide here.";

/** Decides what a pressed button names, within the scope of whoever pressed it, once; again it says what was decided. */
export async function decidePressed(deps: ChannelDeps, scope: Link["scope"], data: string): Promise<Decided> {
  const decision = decisionOf(data);
  return decision ? decide(deps, scope, decision) : { says: nothingHere, isDecided: false };
}

async function decide(
  { host, log }: ChannelDeps,
  scope: Link["scope"],
  { approved, held, mine }: Decision,
): Promise<Decided> {
  const done = (says: string): Decided => ({ says, isDecided: true });
  const open = (says: string): Decided => ({ says, isDecided: false });
  try {
    if (!approved) {
      await host.reject(held, scope.user, undefined, scope);
      return done("Rejected.");
    }
    const decided = await host.approve(held, scope.user, scope, mine ? { mine } : {});
    if ("call" in decided) return { ...done("Approved."), followUp: followUpOf(decided.call) };
    if ("tool" in decided) return done("Approved.");
    const { proposal } = decided;
    if (!("refusals" in proposal)) return done("Approved.");
    if (proposal.verdict === "held") return done("Whoever runs me has to approve this, too.");
    return done(`It cannot be done any more: ${proposal.refusals.map(({ because }) => because).join(" ")}`);
  } catch (error) {
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    if (error.code === "already-decided") return decidedBefore(host, scope, held);
    if (error.code === "unknown-proposal" || error.code === "unknown-call") return open(nothingHere);
    if (error.code === "bad-argument" && mine)
      return open("There is other text in our conversation by now, so approve or reject this by itself.");
    if (error.code === "not-allowed") return open("Only whoever runs me can approve this.");
    log("decision-failed", { held, reason: error.code });
    return open("That did not work. Please try again, or tell whoever runs me.");
  }
}

function followUpOf({ id, tool }: { readonly id: string; readonly tool: string }): FollowUp {
  // Leaves the call's own text to the turn: here it would be the agent's words in the user's mouth.
  return { id: `approved-${id}`, text: decisionWords({ tool }, true) };
}

/** Reports an earlier decision. We may have made it, and died before we said so. */
async function decidedBefore({ store }: ChannelDeps["host"], scope: Link["scope"], held: string): Promise<Decided> {
  const call = await store.calls.get(held, scope).catch(() => undefined);
  const status = call?.status ?? (await store.held.get(held, scope)).status;
  const says = `This was ${status === "rejected" ? "rejected" : "approved"} before.`;
  return { says, isDecided: true, ...(call?.status === "approved" ? { followUp: followUpOf(call) } : {}) };
}
