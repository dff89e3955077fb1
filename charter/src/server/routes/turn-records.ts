import { createRoute, z } from "@hono/zod-openapi";
import { replayRequest } from "../../agent/replay/replay-request.ts";
import { requestFacts } from "../../agent/replay/request-facts.ts";
import type { StepResult } from "../../agent/turn/step-result.ts";
import { identityText } from "../../delivery/identity-text.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { Step } from "../../store/turns/steps.ts";
import { type Turn, unknownTurn } from "../../store/turns/turn.ts";
import type { RouteContext, Routes } from "../api.ts";
import { type Caller, checkOperator, checkPerson } from "../http/caller.ts";
import { turn, turnList } from "../schemas/lists/turn-list.ts";
import { turnFilter, turnSort } from "../schemas/lists/turn-query.ts";
import { agentPath, idPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { problem } from "../schemas/problem.ts";
import { json, problems } from "../schemas/response.ts";
import { sentBytes, sentRequest, stepList } from "../schemas/turn.ts";
import { agentScopeFor } from "./scope-for.ts";
import { checkTurnQuery, readTurns } from "./turn-pages.ts";

const tags = ["turns"];
const erased = { 410: json(problem, "What was sent was erased.") };

const session = z.string().optional().openapi({ description: "Only those of this session." });
const told = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .optional()
  .openapi({
    type: "boolean",
    param: { required: false },
    description: "With `session`: also turns of schedules whose replies were said in it.",
  });

const listing = createRoute({
  method: "get",
  path: "/agents/{agent}/turns",
  tags,
  summary: "List an agent's turns",
  request: {
    params: z.object(agentPath),
    query: z.strictObject({ ...turnFilter, session, told, sort: turnSort, ...page }),
  },
  responses: { 200: json(turnList, "Default: the newest first."), ...problems(404) },
});

const showing = createRoute({
  method: "get",
  path: "/turns/{id}",
  tags,
  summary: "Get a turn",
  request: { params: z.object(idPath) },
  responses: { 200: json(turn, "The turn: input, reply and state."), ...problems(404) },
});

const receipts = createRoute({
  method: "get",
  path: "/turns/{id}/steps",
  tags,
  summary: "List a turn's receipts",
  description: "What each step sent, section by section, and its result.",
  request: { params: z.object(idPath) },
  responses: { 200: json(stepList, "In order."), ...problems(404) },
});

const stepPath = z.object({
  ...idPath,
  step: z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .openapi({
      param: { name: "step", in: "path" },
      description: "The number of the step, from 1.",
      example: "1",
    }),
});

const bytes = createRoute({
  method: "get",
  path: "/turns/{id}/steps/{step}/bytes",
  tags,
  summary: "Get the exact bytes a step sent",
  request: { params: stepPath },
  responses: { 200: json(sentBytes, "Slot by slot, each verified by its digest."), ...problems(404), ...erased },
});

const whole = createRoute({
  method: "get",
  path: "/turns/{id}/steps/{step}/request",
  tags,
  summary: "Get the whole request of a step",
  description:
    "Tools, system and messages as they were handed to the model, and the body that went out, as text and as a command without the key.",
  request: { params: stepPath },
  responses: {
    200: json(sentRequest, "The request, verified by the digests of the receipt."),
    ...problems(404),
    ...erased,
  },
});

export const turnRecordRoutes: Routes = (api, serving) => {
  const { store, models } = serving.host;

  api.openapi(listing, async (context) => {
    const caller = context.get("caller");
    const { user: whose, ...asked } = context.req.valid("query");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, whose);
    checkTurnQuery(caller, asked);
    const { rows, ...page } = await readTurns(store, { ...asked, ...scope });
    return context.json({ turns: await shownTurns(store, rows, caller), ...page }, 200);
  });

  api.openapi(showing, async (context) => {
    const caller = context.get("caller");
    const found = await turnFor(serving, caller, context.req.valid("param").id);
    const [turn] = await shownTurns(store, [found], caller);
    return context.json(turn as NonNullable<typeof turn>, 200);
  });

  api.openapi(receipts, async (context) => {
    checkOperator(context.get("caller"), "seeing what was sent");
    const { id } = await store.turns.get(context.req.valid("param").id);
    return context.json({ steps: (await store.steps.of(id)).map(shownStep) }, 200);
  });

  api.openapi(bytes, async (context) => {
    checkOperator(context.get("caller"), "seeing what was sent");
    const { id, step } = context.req.valid("param");
    await checkKept(store, id);
    const { text: _, result: __, erasedAt: ___, besides: ____, ...sent } = await store.steps.replay(id, Number(step));
    return context.json({ ...sent, proved: true as const, identity: identityFacts(sent.receipt) }, 200);
  });

  api.openapi(whole, async (context) => {
    checkOperator(context.get("caller"), "seeing what was sent");
    const { id, step } = context.req.valid("param");
    await checkKept(store, id);
    return context.json(await requestFacts(await replayRequest(store, id, Number(step)), {}, models), 200);
  });
};

async function checkKept({ turns }: Store, id: string): Promise<void> {
  const { state } = await turns.get(id);
  if (state === "erased") throw new Problem("erased", `What was sent in “${id}” was erased.`, "It cannot be rebuilt.");
}

function shownStep(step: Step) {
  const { ownTools = [] } = (step.result ?? {}) as StepResult;
  return { ...step, identity: identityFacts(step.receipt), ownTools };
}

function identityFacts(receipt: Receipt | null) {
  const identity = receipt?.identity;
  return identity === undefined ? null : { ...identity, says: identityText(identity) };
}

/** A turn by its id: any for an operator, their own for a user. Someone else's is not there. */
export async function turnFor({ host }: RouteContext, caller: Caller, id: string): Promise<Turn> {
  checkPerson(caller, "seeing turns");
  const found = await host.store.turns.get(id);
  if (caller.kind === "operator") return found;
  const { agent, user: whose } = found.scope;
  if (whose === caller.user && (caller.agent ?? agent) === agent) return found;
  throw unknownTurn(id);
}

/** Turns as they are told, with how many steps each had; who ran them, and what that took, is the operator's to know. */
export async function shownTurns(
  { steps, turns: { factsOf } }: Store,
  turns: readonly Turn[],
  caller: Pick<Caller, "kind">,
) {
  const isOperator = caller.kind === "operator";
  const ids = turns.map(({ id }) => id);
  const [counts, known] = await Promise.all([steps.counts(ids), isOperator ? factsOf(ids) : undefined]);
  return turns.map(({ runner, leasedUntil, ...facts }) => {
    const run = isOperator ? { runner, leasedUntil, ...known?.get(facts.id) } : {};
    return { ...facts, steps: counts.get(facts.id) ?? 0, ...run };
  });
}
