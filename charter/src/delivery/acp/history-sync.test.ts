import { hash } from "node:crypto";
import { expect, test } from "vitest";
import type { Message, ModelRequest } from "../model.ts";
import { type KnownSession, seenOf, syncHistory } from "./prompt.ts";

const sha256 = (text: string) => hash("sha256", text, "hex");
const user = (text: string): Message => ({ role: "user", text });
const said = (text: string): Message => ({ role: "assistant", text, calls: [] });
const update: Message = { role: "user", text: "[system 1] Notes: tea.", update: "notes" };
const state = user("[system 1] It is noon.");

const requestOf = (history: readonly Message[], system = "You are Ada."): ModelRequest => ({
  tools: [],
  system: [{ text: system.slice(0, 4) }, { text: system.slice(4) }],
  messages: [...history, state],
  session: { id: "s", agent: "ada", operator: false, history: history.length },
});
const knownOf = (history: readonly Message[]): KnownSession => ({
  identity: sha256("You are Ada."),
  seen: seenOf(history, sha256),
});
const past = [user("Hello"), said("Hi")];

test("a session that has it all so far is sent what is new, and the state", () => {
  const request = requestOf([...past, update, user("And now?")]);
  expect(syncHistory(request, knownOf(past), sha256)).toEqual({
    kind: "continued",
    send: [update, user("And now?"), state],
  });
});

test("what a provider wants back with an answer, and where its cache ends, is no difference", () => {
  const kept = [user("Hello"), { ...said("Hi"), native: { acp: {} }, breakpoint: true as const }];
  expect(syncHistory(requestOf([...kept, user("More")]), knownOf(past), sha256).kind).toBe("continued");
});

test("a new session is told of what was said before, and sent every update", () => {
  const call = { id: "c", name: "look", input: "{}" };
  const tools: Message[] = [
    { role: "assistant", text: "", calls: [call] },
    { role: "tool", results: [{ call: "c", name: "look", output: "tea" }] },
  ];
  const request = requestOf([update, ...past, user("Look"), ...tools, user("And now?")]);
  expect(syncHistory(request, undefined, sha256)).toEqual({
    kind: "rotated",
    reason: "opened",
    recap: [...past, user("Look"), ...tools],
    send: [update, user("And now?"), state],
  });
});

const rotations: readonly (readonly [reason: string, request: ModelRequest])[] = [
  ["identity-changed", requestOf([...past, user("More")], "You are Bo.")],
  ["history-changed", requestOf([user("Hello"), said("Ho"), user("More")])],
  ["history-changed", requestOf([user("More")])],
  ["answered-elsewhere", requestOf([...past, user("More"), said("From another"), user("Back")])],
];

test.each(rotations)("a session starts anew: %s", (reason, request) => {
  expect(syncHistory(request, knownOf(past), sha256)).toMatchObject({ kind: "rotated", reason });
});

test("each field of what was said counts", () => {
  const call = { id: "c", name: "look", input: "{}" };
  const result = { call: "c", name: "look", output: "tea" };
  const variants: Message[][] = [
    [],
    [user("a")],
    [{ role: "system", text: "a" }],
    [said("a")],
    [{ role: "assistant", text: "a", calls: [call] }],
    [{ role: "assistant", text: "a", calls: [{ ...call, input: "[]" }] }],
    [{ role: "tool", results: [result] }],
    [{ role: "tool", results: [{ ...result, failed: true }] }],
    [user("a"), user("a")],
    [user("aa")],
  ];
  expect(new Set(variants.map((messages) => seenOf(messages, sha256).digest)).size).toBe(variants.length);
});
