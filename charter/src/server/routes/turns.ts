import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv, Routes } from "../api.ts";
import { checkChannel, checkOperator, checkPerson } from "../http/caller.ts";
import { problemAnswer } from "../http/error.ts";
import { validationErrorAnswer } from "../http/validation-error.ts";
import { agentPath, idPath } from "../schemas/name.ts";
import { problem } from "../schemas/problem.ts";
import { json, problems } from "../schemas/response.ts";
import { chatTurn, newTurn, stopResult, turnOutcome } from "../schemas/turn.ts";
import { sessionOf } from "../turns/chat-turn.ts";
import { createStoppableTurns } from "../turns/stoppable-turns.ts";
import { turnBody } from "../turns/turn-body.ts";
import { startTurn, type TurnHandle } from "../turns/turn-handle.ts";
import { streamTurn } from "../turns/turn-stream.ts";
import { readerNotices } from "../turns/ui-part.ts";
import { actingScopeFor } from "./scope-for.ts";
import { turnFor } from "./turn-records.ts";

const tags = ["turns"];

const query = z.strictObject({
  drafts: z.enum(["stream", "hold"]).optional().openapi({
    description: "`hold`: text is streamed only once it is final, for clients that cannot replace a draft.",
  }),
});

const taking = createRoute({
  method: "post",
  path: "/agents/{agent}/turns",
  tags,
  summary: "Run a turn",
  description:
    "The answer is JSON; or, with `Accept: text/event-stream`, and for an AI SDK chat, a UI message stream. If the connection is lost the turn continues, and its answer is recorded.",
  request: {
    params: z.object(agentPath),
    query,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: { oneOf: [{ $ref: "#/components/schemas/NewTurn" }, { $ref: "#/components/schemas/ChatTurn" }] },
        },
      },
    },
  },
  responses: {
    200: {
      description: "The result.",
      content: { "application/json": { schema: turnOutcome }, "text/event-stream": { schema: z.string() } },
    },
    ...problems(404, 409, 413, 422),
    502: json(problem, "The model gave no answer."),
  },
});

const stoppingRoute = createRoute({
  method: "post",
  path: "/turns/{id}/stop",
  tags,
  summary: "Stop a turn",
  description: "Only the process that runs a turn can stop it. A turn that has ended is not changed.",
  request: { params: z.object(idPath) },
  responses: {
    202: json(stopResult, "The turn is stopping."),
    200: json(stopResult, "The turn had already ended."),
    ...problems(404, 409),
  },
});

export const turnRoutes: Routes = (api, serving) => {
  const stoppable = createStoppableTurns();
  // Two shapes in one place: each is read by its own schema, so that what is wrong is said about the right one.
  api.openAPIRegistry.register("NewTurn", newTurn);
  api.openAPIRegistry.register("ChatTurn", chatTurn);
  api.openAPIRegistry.registerPath(taking);
  api.post(taking.getRoutingPath(), async (context) => {
    const caller = context.get("caller");
    checkPerson(caller, "taking turns");
    const wished = query.safeParse(context.req.query());
    if (!wished.success) return validationErrorAnswer({ ...wished, target: "query" } as never, context) as Response;
    const body = await turnBody(context);
    if (body instanceof Response) return body;
    checkChannel(caller, body.channel);
    if (body.context !== undefined) checkOperator(caller, "giving a turn its context");
    const given = caller.kind === "operator" ? body.context : caller.context;
    const own = caller.kind === "operator" ? serving.operator : undefined;
    const scope = await actingScopeFor(serving, caller, context.req.param("agent") as string, body.user ?? own);
    const session = body.chat && (await sessionOf(serving.host.store, scope, body.chat));
    const { input, typed, channel, output } = body;
    const wanted = session?.id ?? body.session;
    const asked = {
      ...scope,
      input,
      channel,
      ...(typed === undefined ? {} : { typed }),
      ...(wanted === undefined ? {} : { session: wanted }),
      ...(given === undefined ? {} : { context: given }),
      ...(output === undefined ? {} : { output }),
    };
    const access = context.get("access");
    const about = { host: serving.host, stoppable, caller, access };
    if (body.chat || context.req.header("accept")?.includes("text/event-stream"))
      return streamTurn(context, {
        start: (watching) => startTurn(asked, { ...about, ...watching }),
        renewsSession: session?.named === false,
        log: serving.log,
      });
    return answered(context, startTurn(asked, about));
  });

  api.openapi(stoppingRoute, async (context) => {
    const { id } = context.req.valid("param");
    const { state, runner } = await turnFor(serving, context.get("caller"), id);
    if (state !== "running") return context.json({ turn: id, state, stopping: false }, 200);
    if (stoppable.stop(id)) return context.json({ turn: id, state, stopping: true }, 202);
    const where = context.get("caller").kind === "operator" && runner !== null ? ` (${runner})` : "";
    throw new Problem(
      "turn-elsewhere",
      `The turn “${id}” was not asked for over HTTP here, or is run by another process${where}.`,
      "Ask the server that took it; or wait: a turn has a limit of time.",
    );
  });
};

async function answered(context: Context<ApiEnv>, taken: TurnHandle): Promise<Response> {
  const { ended } = context.get("access");
  const shutOut = Promise.withResolvers<never>();
  if (ended.aborted) shutOut.reject(ended.reason);
  ended.addEventListener("abort", () => shutOut.reject(ended.reason), { once: true });
  context.get("hold")(taken.outcome);
  try {
    const outcome = await Promise.race([taken.outcome, shutOut.promise]);
    if (outcome.problem?.code === "bad-output") return failed(context, taken, taken.problemOf(outcome), outcome.reply);
    if (outcome.state === "failed") return failed(context, taken, taken.problemOf(outcome));
    const { problem: _, notices, ...facts } = outcome;
    const operator = context.get("caller").kind === "operator";
    return context.json({ ...facts, notices: notices.filter(({ code }) => operator || readerNotices.has(code)) }, 200);
  } catch (thrown) {
    if (!(thrown instanceof Problem) || taken.id() === undefined || ended.aborted) throw thrown;
    return failed(context, taken, taken.problemOf({ thrown }));
  }
}

function failed(
  context: Context<ApiEnv>,
  taken: TurnHandle,
  because: ReturnType<TurnHandle["problemOf"]>,
  reply?: string | null,
): Response {
  const turn = taken.id();
  const told = reply === undefined ? {} : { reply };
  return problemAnswer(context, because, { more: turn === undefined ? {} : { turn, ...told } });
}
