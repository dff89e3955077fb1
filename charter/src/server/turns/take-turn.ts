import type { Context } from "hono";
import { checkChannel, checkOperator } from "../../operations/caller.ts";
import { ownScopeFor } from "../../operations/scope-for.ts";
import { takeTurn } from "../../operations/turns/turns.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { problemAnswer } from "../http/error.ts";
import { jsonAnswer, type RouteHandler } from "../operation-routes.ts";
import { sessionOf } from "./chat-turn.ts";
import { turnBody } from "./turn-body.ts";
import { startTurn, type TurnHandle } from "./turn-handle.ts";
import { streamTurn } from "./turn-stream.ts";
import { readerNotices } from "./ui-part.ts";

/** Runs the turn that is asked for. The answer is JSON or a stream. */
export const answerTurn: RouteHandler = async (context, serving, { agent }) => {
  const caller = context.get("caller");
  const { host, operator, stoppable } = serving;
  const body = await turnBody(context);
  if (body instanceof Response) return body;
  checkChannel(caller, body.channel);
  if (body.context !== undefined) checkOperator(caller, "giving a turn its context");
  const given = caller.kind === "operator" ? body.context : caller.context;
  const scope = await ownScopeFor({ store: host.store, caller, operator }, agent as string, body.user);
  const session = body.chat && (await sessionOf(host.store, scope, body.chat));
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
  const about = { host, stoppable, caller, access: context.get("access") };
  if (body.chat || context.req.header("accept")?.includes("text/event-stream"))
    return streamTurn(context, {
      start: (watching) => startTurn(asked, { ...about, ...watching }),
      renewsSession: session?.named === false,
      log: serving.log,
    });
  return answered(context, startTurn(asked, about));
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
    const told = notices.filter(({ code }) => operator || readerNotices.has(code));
    return jsonAnswer(takeTurn, context, { ...facts, notices: told });
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
