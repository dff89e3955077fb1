import { grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import type { StandardSchema } from "../standard-schema.ts";

/** The longest context of a request, as JSON in UTF-8. */
const mostBytes = 16_384;

/** What whoever asked for a turn gave with it: as sources, tools and hooks see it, and as it is kept if it is. */
type RequestContext = { readonly value: unknown; readonly json: string };

/**
 * Checks the context of a request: plain data, not too long, and what the agent's schema takes. It is a copy that nobody
 * can change, so one turn's never becomes another's. What stands in it is in no Problem.
 */
export async function requestContext(
  given: unknown,
  schema: StandardSchema | undefined,
): Promise<RequestContext | undefined> {
  if (given === undefined) return undefined;
  const json = jsonOf(given);
  const bytes = Buffer.byteLength(json);
  if (bytes > mostBytes)
    throw badContext(`The context of a turn has ${grouped(bytes)} bytes; the limit is ${grouped(mostBytes)}.`);
  const plain: unknown = JSON.parse(json);
  return { value: frozen(schema ? await checked(plain, schema) : plain), json };
}

function jsonOf(given: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    throw badContext(`The context of a turn cannot be written as JSON (${reasonOf(error).split("\n")[0]}).`);
  }
  if (json === undefined) throw badContext("The context of a turn is nothing that can be written as JSON.");
  return json;
}

async function checked(value: unknown, schema: StandardSchema): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return result.value;
  const places = result.issues.map(({ path = [] }) => path.map(keyOf).join(".") || "the whole");
  throw badContext(`The context of a turn is not what the agent's schema takes: ${[...new Set(places)].join(", ")}.`);
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof part === "object" ? part.key : part);
}

function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) frozen(one);
  }
  return value;
}

function badContext(message: string): Problem {
  return new Problem("bad-context", message, 'Give plain data, as in { tenant: "acme", plan: "free" }: docs/agent.md.');
}
