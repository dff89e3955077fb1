import { createRoute, z } from "@hono/zod-openapi";
import { type ShownCall, shownCall } from "../../agent/turn/asking/call-question.ts";
import type { Scope } from "../../amend/amendment.ts";
import { outcomeFacts } from "../../amend/verdict.ts";
import { findHeld, scopeOf } from "../../host/decide.ts";
import { Problem } from "../../prompt/problem.ts";
import { causeQuery } from "../../store/amendments/cause.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal-row.ts";
import { isStale } from "../../store/amendments/stale-outcome.ts";
import { readPage } from "../../store/home/page.ts";
import type { ToolPin } from "../../store/pins/tool-pin-row.ts";
import type { RouteContext, Routes } from "../api.ts";
import { type Caller, checkPerson, notFound } from "../http/caller.ts";
import {
  approvalList,
  approveRequest,
  callStatus,
  heldCall,
  heldEither,
  heldTool,
  rejectRequest,
} from "../schemas/approval.ts";
import { idPath, user } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { problem, refusedProposal, staleProposal } from "../schemas/problem.ts";
import { proposalOutcome } from "../schemas/proposal.ts";
import { body, json, problems } from "../schemas/response.ts";
import { refusedResult, staleResult } from "./propose.ts";
import { agentScopeFor, defined, reachFor } from "./scope-for.ts";

const tags = ["approvals"];
const params = z.object(idPath);

const query = z.strictObject({
  agent: z.string().optional(),
  user,
  status: callStatus.optional().openapi({ description: "Default: `waiting`." }),
  ...page,
});

export const approvalRoutes: Routes = (api, serving) => {
  const { host } = serving;
  const { store } = host;

  const listing = createRoute({
    method: "get",
    path: "/approvals",
    tags,
    summary: "List proposals, tool calls and tools waiting for approval",
    description: "A user sees their own.",
    request: { query },
    responses: { 200: json(approvalList, "Oldest first."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const { status = "waiting", agent, user: named, ...asked } = context.req.valid("query");
    const caller = context.get("caller");
    checkPerson(caller, "seeing what waits for a person");
    if (agent !== undefined) await agentScopeFor(serving, caller, agent, named);
    const whose = reachFor(caller, { agent, user: named });
    const proposals =
      status === "waiting" || status === "approved" || status === "rejected"
        ? await readPage((one) => store.held.list({ status, ...whose, ...one }), asked)
        : { rows: [], more: false };
    const calls = await readPage((one) => store.calls.list({ status, ...whose, ...one }), asked);
    // What an agent's tools are, is the operator's to decide.
    const tools =
      caller.kind === "operator" && whose.user === undefined && (status === "waiting" || status === "rejected")
        ? await readPage((one) => store.pins.list({ ...(agent === undefined ? {} : { agent }), status, ...one }), asked)
        : { rows: [], more: false };
    const counted = await store.held.count({ status, ...whose });
    const causes = await store.held.causes([...proposals.rows.map(causeQuery), ...calls.rows.map(causeQuery)]);
    return context.json(
      {
        proposals: proposals.rows.map((held) => ({ ...held, cause: causes.get(held.id) ?? null })),
        calls: calls.rows.map((call) => ({ ...shownCall(call), cause: causes.get(call.id) ?? null })),
        tools: tools.rows,
        more: proposals.more || calls.more || tools.more,
        total: counted.proposals + counted.calls + (caller.kind === "operator" ? counted.tools : 0),
      },
      200,
    );
  });

  const showing = createRoute({
    method: "get",
    path: "/approvals/{id}",
    tags,
    summary: "Get a proposal, tool call or tool waiting for approval",
    request: { params },
    responses: { 200: json(heldEither, "A proposal, a call, or a tool."), ...problems(404) },
  });
  api.openapi(showing, async (context) => {
    const held = await heldFor(serving, context.get("caller"), context.req.valid("param").id);
    return context.json("server" in held ? held : await withCause(serving, held), 200);
  });

  const approving = createRoute({
    method: "post",
    path: "/approvals/{id}/approve",
    tags,
    summary: "Approve it",
    description:
      "A tool call runs with the next turn. A tool of an MCP server is offered from the next turn on. A permission is allowed once, if the agent asks for the same again in the next turn. A proposal is checked again by every guard, against the current text. " +
      "Only an operator can approve what a second opinion held. With `content` a proposal is approved with other text, which is judged as the text of whoever approves; with `current` it is applied to the section's current text. If a guard objects, it still waits.",
    request: { params, body: { ...body(approveRequest), required: false } },
    responses: {
      200: json(z.union([proposalOutcome, heldCall, heldTool]), "It was approved."),
      202: json(proposalOutcome, "A second opinion refused what a user approved: an operator has to approve it."),
      ...problems(404, 413, 415),
      409: json(z.union([staleProposal, problem]), "It was already decided, or the section has changed."),
      422: json(refusedProposal, "A guard refuses it now; it still waits."),
    },
  });
  api.openapi(approving, async (context) => {
    const caller = context.get("caller");
    const held = await heldFor(serving, caller, context.req.valid("param").id);
    const within = caller.kind === "operator" ? undefined : scopeIn(held);
    const how = defined(context.req.valid("json"));
    const decided = await host.approve(held.id, handOf(caller), within, how);
    if ("call" in decided) return context.json(await withCause(serving, shownCall(decided.call)), 200);
    if ("tool" in decided) return context.json(decided.tool, 200);
    const { proposal: outcome } = decided;
    const { section, after, proposal } = held as HeldProposal;
    if (outcome.verdict === "held") return context.json(outcomeFacts(outcome, section), 202);
    if (outcome.verdict !== "refused") return context.json(outcomeFacts(outcome, section), 200);
    const about = { scope: scopeIn(held), section };
    if (!isStale(outcome)) return context.json((await refusedResult(serving, about, outcome)).answer, 422) as never;
    const stale = how.content === undefined && !how.current ? { ...outcome, proposed: after } : outcome;
    const against = how.current ? (how.revision ?? 0) : (proposal.revision ?? 0);
    const { answer } = await staleResult(serving, about, stale, against, staleHint);
    return context.json(answer, 409) as never;
  });

  const denying = createRoute({
    method: "post",
    path: "/approvals/{id}/reject",
    tags,
    summary: "Reject it",
    description: "Nothing is changed and no tool is run. The reason is told if it is proposed again.",
    request: { params, body: { ...body(rejectRequest), required: false } },
    responses: { 200: json(heldEither, "It is rejected."), ...problems(404, 409, 413, 415) },
  });
  api.openapi(denying, async (context) => {
    const caller = context.get("caller");
    const held = await heldFor(serving, caller, context.req.valid("param").id);
    await host.reject(held.id, handOf(caller), context.req.valid("json").reason, scopeIn(held));
    const decided = await heldFor(serving, caller, held.id);
    return context.json("server" in decided ? decided : await withCause(serving, decided), 200);
  });
};

const staleHint = "Approve it with `current` to apply it to the current text, edit it, or reject it.";

type Held = HeldProposal | ShownCall | ToolPin;

async function withCause<One extends HeldProposal | ShownCall>({ host }: RouteContext, held: One) {
  const causes = await host.store.held.causes([causeQuery(held)]);
  return { ...held, cause: causes.get(held.id) ?? null };
}

/** Who decided, as it is kept. */
function handOf(caller: Caller): string {
  return caller.kind === "user" ? caller.user : "operator";
}

function scopeIn(held: Held): Scope {
  return "scope" in held ? held.scope : { agent: held.agent };
}

/** What is held under an id. To a user, what is not theirs is not there. */
async function heldFor({ host }: RouteContext, caller: Caller, id: string): Promise<Held> {
  checkPerson(caller, "deciding for a person");
  try {
    const found = await findHeld(host.store, id);
    const held = found.call ? shownCall(found.call) : (found.tool ?? found.proposal);
    const { agent, user: owner } = scopeOf(found);
    const theirs = caller.kind === "operator" || (owner === caller.user && (caller.agent ?? agent) === agent);
    if (theirs) return held;
  } catch (error) {
    if (!(error instanceof Problem) || !error.code.startsWith("unknown-")) throw error;
  }
  throw notFound(`held proposal or call “${id}”`);
}
