import { mayBeOwn } from "../agent/turn/ask-reason.ts";
import { claimPictures, foreignTextsOf } from "../agent/turn/live-session.ts";
import type { Scope } from "../amend/amendment.ts";
import { Problem } from "../prompt/problem.ts";
import type { HeldProposal } from "../store/amendments/held-proposal.ts";
import type { AmendmentContext } from "../store/amendments/judge.ts";
import type { Store } from "../store/store.ts";
import type { ToolPin } from "../store/tool-pins.ts";
import type { HeldCall } from "../store/turns/held-calls.ts";
import type { ApprovalOptions, ApproveResult } from "./host.ts";

type HeldItem =
  | { readonly call: HeldCall; readonly proposal?: undefined; readonly tool?: undefined }
  | { readonly proposal: HeldProposal; readonly call?: undefined; readonly tool?: undefined }
  | { readonly tool: ToolPin; readonly call?: undefined; readonly proposal?: undefined };

/** Finds what is held under an id, be it a call, a proposal or a tool, so that a person need not know which. */
export async function findHeld(store: Store, id: string, within?: Scope): Promise<HeldItem> {
  const item = await either(store, id);
  const scope = scopeOf(item);
  if (within === undefined || (scope.agent === within.agent && scope.user === within.user)) return item;
  throw new Problem(
    "unknown-proposal",
    `There is no held proposal “${id}”.`,
    "List what is waiting with `charter approvals`.",
  );
}

/** Owner of what is held. Tools of an agent belong to no user: the operator decides about them. */
export function scopeOf({ call, proposal, tool }: HeldItem): Scope {
  return (call ?? proposal)?.scope ?? { agent: (tool as ToolPin).agent };
}

async function either(store: Store, id: string): Promise<HeldItem> {
  const call = await orNothing(store.calls.get(id), "unknown-call");
  if (call) return { call };
  const tool = await orNothing(store.pins.get(id), "unknown-tool");
  return tool ? { tool } : { proposal: await store.held.get(id) };
}

async function orNothing<Held>(looking: Promise<Held>, code: string): Promise<Held | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof Problem && error.code === code) return undefined;
    throw error;
  }
}

type DecideOptions = {
  readonly store: Store;
  readonly id: string;
  readonly by: string;
  readonly within?: Scope | undefined;
  readonly how?: ApprovalOptions | undefined;
};

/**
 * Approves what is held. A call is made with the next turn; a tool is offered as it was held; a proposal is checked again by
 * every guard but the one that asked for approval. A text edited by the approver is checked as the approver's.
 */
export async function approveHeld(
  { store, id, by, within, how = {} }: DecideOptions,
  contextOf: (scope: Scope) => Promise<AmendmentContext>,
): Promise<ApproveResult> {
  const { mine, ...edited } = how;
  if (mine) return approveAsOwn({ store, id, by, within, how: edited }, contextOf);
  const item = await findHeld(store, id, within);
  if (!item.proposal) checkPlain(item, how);
  if (item.call) return { call: await store.calls.approve(id, by) };
  if (item.tool) return { tool: await store.pins.approve(id, by) };
  const { dryRun, ...wish } = how;
  const options = { ...wish, hand: within === undefined ? ("operator" as const) : ("user" as const) };
  const context = await contextOf(item.proposal.scope);
  const judged = dryRun
    ? await store.held.judge(id, by, context, options)
    : await store.held.approve(id, by, context, options);
  return { proposal: { ...judged, held: id } };
}

/** Approves what is held because of pictures alone, and records that they are the user's own. */
async function approveAsOwn(options: DecideOptions, contextOf: (scope: Scope) => Promise<AmendmentContext>) {
  const { store, id, by, within } = options;
  const item = await findHeld(store, id, within);
  const turn = item.call?.turn ?? item.proposal?.proposal.turn;
  const { session = null } = turn === undefined ? {} : await store.turns.get(turn);
  const texts = session === null ? [] : await foreignTextsOf(store, session);
  if (turn === undefined || !mayBeOwn(texts))
    throw new Problem(
      "bad-argument",
      `“${id}” does not wait because of a picture alone that its user sent themselves: other text may be in the conversation by now.`,
      "Approve it without `mine`, or reject it.",
    );
  const approved = await approveHeld(options, contextOf);
  await claimPictures(store, texts, { scope: scopeOf(item), by, turn });
  return approved;
}

/** Refuses an edited text for a call or a tool: they are approved as they are, and only proposals can be edited. */
function checkPlain({ call, tool }: Pick<HeldItem, "call" | "tool">, how: ApprovalOptions): void {
  const options = Object.entries(how).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (options.length === 0) return;
  throw new Problem(
    "bad-argument",
    `“${(call ?? tool)?.id}” is ${call ? "a tool call" : "a tool"}, and \`${options[0]}\` is for proposals only.`,
    "Approve it as it is, or reject it.",
  );
}

export async function rejectHeld({ store, id, by, within }: DecideOptions, reason?: string): Promise<void> {
  const item = await findHeld(store, id, within);
  if (item.call) await store.calls.reject(id, by, reason);
  else if (item.tool) await store.pins.reject(id, by, reason);
  else await store.held.reject(id, by, reason);
}
