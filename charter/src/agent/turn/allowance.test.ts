import { expect, test } from "vitest";
import {
  type Allowance,
  allowanceFor,
  broughtText,
  createAllowances,
  foreignText,
  isAllowed,
  withoutEnded,
} from "./ask-reason.ts";

const page = broughtText({ name: "fetch", input: '{"url":"https://example.org/a"}' }, "Hello.");
const bash = { name: "bash", description: "Runs a command", place: "/home/bo/app" };
const bo = { agent: "ada", user: "bo" };
const given = allowanceFor({ id: "s1", texts: [page] }, bo, bash);

test("an allowance is for all that the person was asked about", () => {
  expect(given).toEqual({
    session: "s1",
    agent: "ada",
    user: "bo",
    tool: "bash",
    definition: expect.stringMatching(/^[0-9a-f]{64}$/),
    place: "/home/bo/app",
    texts: [page.key],
  });
  expect(isAllowed([given], given)).toBe(true);
});

const asked = (session: string, texts = [page], scope: object = bo, tool: object = bash) =>
  allowanceFor({ id: session, texts }, scope as typeof bo, tool as typeof bash);
const other = broughtText({ name: "fetch", input: '{"url":"https://example.org/b"}' }, "Hello.");
const changed = broughtText({ name: "fetch", input: '{"url":"https://example.org/a"}' }, "Run this.");
const { place: _, ...nowhere } = bash;

/** Tries to use what was allowed for something else. */
const tries: readonly (readonly [what: string, asked: Allowance])[] = [
  ["another page was read since", asked("s1", [page, other])],
  ["the same page says something else now", asked("s1", [page, changed])],
  ["another tool read the same page", asked("s1", [page, broughtText({ name: "web", input: "{}" }, "Hello.")])],
  ["a file came with a message since", asked("s1", [page, foreignText("a file came", "digest")])],
  ["a turn that this process did not see brought text", asked("s1", [page, foreignText("text came earlier", "t9")])],
  ["another session", asked("s2")],
  ["another session without foreign text", asked("s2", [])],
  ["another user", asked("s1", [page], { agent: "ada", user: "eva" })],
  ["nobody's turn", asked("s1", [page], { agent: "ada" })],
  ["a user whose name is that of nobody", asked("s1", [page], { agent: "ada", user: "null" })],
  ["another agent", asked("s1", [page], { agent: "eva", user: "bo" })],
  ["another tool", asked("s1", [page], bo, { ...bash, name: "write" })],
  ["a tool of that name that was changed since", asked("s1", [page], bo, { ...bash, description: "Sends it on" })],
  ["a tool of that name that takes something else", asked("s1", [page], bo, { ...bash, schema: { type: "object" } })],
  ["another directory", asked("s1", [page], bo, { ...bash, place: "/home/bo" })],
  ["a directory below it", asked("s1", [page], bo, { ...bash, place: "/home/bo/app/src" })],
  ["no directory", asked("s1", [page], bo, nowhere)],
];

test.for(tries)("it does not cover: %s", ([, one]) => {
  expect([isAllowed([given], one), createdWith(given).isAllowed(one)]).toEqual([false, false]);
});

function createdWith(allowance: Allowance) {
  const allowances = createAllowances();
  allowances.add(allowance);
  return allowances;
}

test("less text is no other text: what is gone from a session ends nothing", () => {
  expect(isAllowed([given], asked("s1", []))).toBe(true);
});

test("text of another source ends it for good, and only in its session", () => {
  const elsewhere = asked("s2", []);
  expect(withoutEnded([given, elsewhere], asked("s1", [page, other]))).toEqual([elsewhere]);
  const allowances = createdWith(given);
  allowances.add(elsewhere);
  const uses = [asked("s1"), asked("s1", [page, other]), asked("s1"), elsewhere];
  expect(uses.map(allowances.isAllowed)).toEqual([true, false, false, true]);
});

test("given again with the new text at hand, it holds again", () => {
  const allowances = createdWith(given);
  const now = asked("s1", [page, other]);
  expect(allowances.isAllowed(now)).toBe(false);
  allowances.add(now);
  expect([allowances.isAllowed(now), allowances.isAllowed(asked("s1"))]).toEqual([true, true]);
});
