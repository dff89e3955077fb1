import { describe, expect, test } from "vitest";
import type { Field } from "../../../src/operations/field.ts";
import { allOperations } from "../../../src/operations/operations.ts";
import type { Json } from "../served.ts";
import { type CallerName, callers, expected, whoMay } from "../who-may.ts";
import { ask, canary, requestsFor, secrets, served, stageIsolation } from "./isolation-stage.ts";

stageIsolation();

test("every route says who may ask it, and no line is left over", () => {
  const routes = Object.entries(served.document.paths as Json)
    .flatMap(([path, methods]) => Object.keys(methods as Json).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => route.split(" ")[1]?.startsWith("/api/"));
  expect(routes.toSorted()).toEqual(Object.keys(whoMay).toSorted());
});

describe("only what is allowed answers", () => {
  for (const [route, who] of Object.entries(whoMay))
    test(`${route}: ${who}`, async () => {
      const answers: [CallerName, number][] = [];
      const request = requestsFor(route);
      for (const caller of callers) {
        const [method, path, body] = await request.next();
        // A token's messages are called after it, for others.
        const own = caller.endsWith("inbox's") ? path.replace("/shop%2F", "/") : path;
        const { status, text } = await ask(secrets.get(caller), [method, own, body]);
        request.answered(status);
        answers.push([caller, status >= 200 && status < 300 ? 200 : status]);
        const wanted = expected(who, caller);
        if (wanted !== 200 || caller === "another user's")
          expect([caller, text.includes(canary)]).toEqual([caller, false]);
        if (status >= 400) expect([caller, Object.keys(JSON.parse(text))]).toEqual([caller, ["error"]]);
      }
      expect(answers).toEqual(callers.map((caller) => [caller, expected(who, caller)]));
    });
});

/** Of what users may ask for, what is not told at their page. */
const operatorsFields = [
  "against amended breakEven carried charter cold command conflict cost createdAt days definition event",
  "events failed fallbacks frozen happens history job layer leasedUntil micros model models needs",
  "nextDefinition nextDigest note now operator options others ours output owner perTurn place previous",
  "price proposed publication quote read reasons receipts receiver relay removedAt rendered request",
  "rewritten runner sample say says served server settings since standsInFor step steps taken theirs",
  "tokens tools usage users version week written",
].flatMap((line) => line.split(" "));

test("every field of an answer that users may ask for is told at their page, or is known to be the operator's", () => {
  const asked = Object.entries(whoMay).filter(([, who]) => ["anyone", "people", "own"].includes(who));
  const fields = asked.flatMap(([route]) => {
    const [method = "", path = ""] = route.split(" ");
    const { responses } = served.document.paths[path][method.toLowerCase()];
    const good = Object.entries(responses as Json).filter(([status]) => Number(status) < 400);
    return good.flatMap(([, answer]) => fieldsOf((answer as Json).content?.["application/json"]?.schema));
  });
  const told = new Set(allOperations.flatMap(({ answer }) => toldNames(answer)));
  const untold = [...new Set(fields)].filter((name) => !told.has(name));
  expect(untold.toSorted()).toEqual(operatorsFields);
});

/** The parts of a turn that are an operator's as a whole: whoever else names one is refused. */
const operatorsParts = ["Step", "SentBytes", "SentRequest", "Sample"];

/** The names of what users are told, however deep. */
function toldNames({ kind }: Field<unknown>): string[] {
  if (kind.is === "list" || kind.is === "record") return toldNames(kind.item);
  if (kind.is === "either") return kind.fields.flatMap(toldNames);
  if (kind.is !== "object") return [];
  const told = Object.entries(kind.fields).filter(([, { more }]) => more.isTold);
  return told.flatMap(([name, field]) => [name, ...toldNames(field)]);
}

/** Every name in a schema, however deep. */
function fieldsOf(schema: Json, seen = new Set<Json>()): string[] {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const name = schema.$ref?.split("/").at(-1);
  if (operatorsParts.includes(name)) return [];
  const named = name && served.document.components.schemas[name];
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [], allOf = [] } = named ?? schema;
  const inside = [...Object.values(properties), items, additionalProperties, ...oneOf, ...anyOf, ...allOf];
  return [...Object.keys(properties), ...inside.flatMap((one) => fieldsOf(one, seen))];
}
