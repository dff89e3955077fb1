import type { z } from "@hono/zod-openapi";
import { problem } from "./problem.ts";

/** One answer of a route: JSON in this shape. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

const refusals = {
  400: json(problem, "The request is invalid."),
  401: json(problem, "There is no token, or it is unknown, expired or revoked."),
  403: json(problem, "The token does not allow this."),
  404: json(problem, "It does not exist, or belongs to someone else."),
  409: json(problem, "It was decided, changed or taken in the meantime."),
  410: json(problem, "It was erased."),
  413: json(problem, "The body is too large."),
  415: json(problem, "The body is not JSON."),
  422: json(problem, "It was refused, with every reason."),
  429: json(problem, "Too many requests; Retry-After says when to try again."),
  500: json(problem, "An unexpected error; the server's log has the details."),
  502: json(problem, "The model gave no answer."),
  503: json(problem, "The store cannot be reached."),
} as const;

type Status = keyof typeof refusals;
/** What every route may answer. */
type Usual = 400 | 401 | 403 | 429 | 500 | 503;

/** The errors of a route, besides those every route has. */
export function problems<Own extends Exclude<Status, Usual> = never>(
  ...own: readonly Own[]
): Pick<typeof refusals, Own | Usual> {
  const statuses: Status[] = [400, 401, 403, 429, 500, 503, ...own];
  return Object.fromEntries(statuses.map((status) => [status, refusals[status]])) as Pick<typeof refusals, Own | Usual>;
}

/** The body a route takes. One it does not need may be left out altogether. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true as const, content: { "application/json": { schema } } };
}
