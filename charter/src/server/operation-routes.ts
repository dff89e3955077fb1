import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { checkWho } from "../operations/caller.ts";
import { fieldsAt, type Operation, routeOf } from "../operations/operation.ts";
import { type InvalidField, readFields, toldPart } from "../operations/read-input.ts";
import { grouped } from "../prompt/problem.ts";
import type { ApiEnv, RouteContext, Routes } from "./api.ts";
import { tooManyRequests } from "./auth/sign-in.ts";
import { problemAnswer } from "./http/error.ts";
import { createRateLimiter } from "./http/limits.ts";
import { isForChat } from "./http/this-server.ts";

/** Handler of a route that answers with a stream or a file's bytes. Its input is read like that of all others. */
export type RouteHandler = (
  context: Context<ApiEnv>,
  serving: RouteContext,
  input: Readonly<Record<string, unknown>>,
) => Promise<Response>;

/** Makes the routes of operations. Those without `run` are answered by the handler of their name. */
export function operationRoutes(
  operations: readonly Operation[],
  handlers: Readonly<Record<string, RouteHandler>> = {},
): Routes {
  return (api, serving) => {
    const rate = createRateLimiter(() => serving.host.clock().getTime());
    for (const one of operations) {
      if (one.route === undefined) continue;
      const { method, path } = routeOf(one.route);
      const parts = partsOf(one);
      api.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
        checkWho(one, context.get("caller"));
        const read = await readRequest(parts, context);
        if (read instanceof Response) return read;
        const seconds = one.perMinute === undefined ? 0 : rate.consume(one.name, one.perMinute);
        if (seconds > 0) return tooManyRequests(context, seconds, "This was asked too often within a minute.");
        const handler = handlers[one.name];
        return handler ? handler(context, serving, read) : answered(one, context, serving, read);
      });
    }
  };
}

async function answered(
  one: Operation,
  context: Context<ApiEnv>,
  serving: RouteContext,
  input: Readonly<Record<string, unknown>>,
): Promise<Response> {
  const { host, operator } = serving;
  const { store, clock } = host;
  const caller = context.get("caller");
  const isHead = context.req.method === "HEAD";
  if (!one.run) throw new Error(`“${one.name}” has a route and nothing to run.`);
  const service = { ...serving, address: async () => serving.url ?? new URL(context.req.url).origin };
  const answer = await one.run({ store, clock, operator, caller, host: async () => host, service, isHead }, input);
  return jsonAnswer(one, context, answer);
}

/** Answers with JSON and a status; at the page for users, with the fields users may see. */
export function jsonAnswer(one: Operation, context: Context<ApiEnv>, answer: unknown): Response {
  const { status, body = answer } = one.wire?.(answer) ?? { status: usualStatus(one) };
  const visibleBody = status < 300 && isForChat(context.req.path) ? toldPart(one.answer, body) : body;
  if (context.env?.send === undefined || context.req.method === "HEAD")
    return context.json(visibleBody as object, status as 200);
  context.set("json", JSON.stringify(visibleBody));
  return context.body(null, status as 200, { "content-type": "application/json" });
}

/** Usual status of an operation: the first of its successes. */
export function usualStatus({ statuses = { 200: "" } }: Operation): number {
  return Number(Object.keys(statuses)[0]);
}

/** Reads path, query and body of a request; if they are not valid, returns the answer that lists every error. */
async function readRequest(
  { path, query, headers, body }: ReturnType<typeof partsOf>,
  context: Context<ApiEnv>,
): Promise<Readonly<Record<string, unknown>> | Response> {
  const invalid: InvalidField[] = [];
  const params = readFields(path, context.req.param(), { at: "param", isText: true, invalid });
  const queryValues = readFields(query, context.req.query(), { at: "query", isText: true, invalid });
  const sent = Object.entries(headers).map(([name, { more }]) => [name, context.req.header(more.header as string)]);
  const headerValues = readFields(headers, Object.fromEntries(sent), { at: "header", isText: true, invalid });
  const json = body ? await readJson(context) : {};
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  if (!isObject) invalid.push({ at: "body", reason: "must be an object" });
  const bodyValues =
    isObject && body ? readFields(body.fields, json as never, { at: "body", isText: false, invalid }) : {};
  return invalid.length === 0
    ? { ...params, ...queryValues, ...headerValues, ...bodyValues }
    : invalidAnswer(context, invalid);
}

/** Distributes an operation's fields over a route: path, headers, query, or the body of a change. */
export function partsOf(one: Operation) {
  const { method, names } = routeOf(one.route as string);
  const all = Object.entries(fieldsAt(one.input, "route"));
  const inPath = all.filter(([name]) => names.includes(name)).map(([name, field]) => [name, field.required()] as const);
  const inHeaders = all.filter(([, { more }]) => more.header !== undefined);
  const others = all.filter(([name, { more }]) => !names.includes(name) && more.header === undefined);
  const hasBody = !one.body && (method === "POST" || method === "PUT" || method === "PATCH") && others.length > 0;
  const inQuery = hasBody ? others.filter(([, { more }]) => more.isInQuery) : others;
  const inBody = hasBody ? others.filter(([, { more }]) => !more.isInQuery) : [];
  const isRequired = inBody.some(([, { more }]) => !more.isOptional && more.usual === undefined);
  return {
    path: Object.fromEntries(inPath),
    query: Object.fromEntries(inQuery),
    headers: Object.fromEntries(inHeaders),
    body: inBody.length === 0 ? undefined : { fields: Object.fromEntries(inBody), isRequired },
  };
}

/** Reads a JSON body. An empty one counts as an empty object, so that missing fields are named. */
export async function readJson(context: Context<ApiEnv>): Promise<unknown> {
  const words = await context.req.text();
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(context.req.header("content-type") ?? "");
  if (words === "") return {};
  if (!isJson) throw new HTTPException(415);
  try {
    return JSON.parse(words);
  } catch {
    throw new HTTPException(400);
  }
}

/** Maximum number of errors listed; the others follow when these are corrected. */
const maxInvalid = 50;

/** Answers an invalid request with all its errors at once. */
export function invalidAnswer(context: Context<ApiEnv>, all: readonly InvalidField[]): Response {
  const invalid = all.slice(0, maxInvalid);
  const others = all.length > maxInvalid ? `; and ${grouped(all.length - maxInvalid)} more` : "";
  const problem = {
    code: "bad-request",
    message: `The request is invalid: ${invalid.map(({ at, reason }) => `${at}: ${reason}`).join("; ")}${others}.`,
    hint: "Correct what is named; /openapi.json describes every address.",
  };
  return problemAnswer(context, problem, { more: { invalid } });
}
