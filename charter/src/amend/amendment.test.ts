import { expect, test } from "vitest";
import { type Amendment, amendmentDigest, createAmendment, seal, sealedDigest } from "./amendment.ts";

const sha256 = (text: string) => `#${text}`;
const facts: Omit<Amendment, "digest"> = {
  scope: { agent: "ada", user: "u1" },
  section: "goals",
  revision: 2,
  operation: "rewrite",
  actor: "agent",
  turn: "t1",
  at: "2026-01-01T00:00:00Z",
  reason: "why",
  before: "old",
  after: "new",
  previous: "p",
};
const digest = '#[["ada","u1"],"goals",2,"rewrite","agent","t1","2026-01-01T00:00:00Z","#why","#old","#new","p"]';

test("an amendment's digest is of every field in one order, its words as digests", () => {
  expect(createAmendment(facts, sha256)).toEqual({ ...facts, digest });
  expect(seal(facts, sha256)).toEqual({ ...facts, before: "#old", after: "#new", reason: "#why" });
  expect(sealedDigest(seal(facts, sha256), sha256)).toBe(digest);
});

test("without a user and a reason it says null; a key comes last, where there is one", () => {
  const bare = { ...facts, scope: { agent: "ada" }, reason: null };
  const expected = digest.replace('"u1"', "null").replace('"#why"', "null");
  expect(amendmentDigest(bare, sha256)).toBe(expected);
  expect(amendmentDigest({ ...bare, key: "k1" }, sha256)).toBe(expected.replace('"p"]', '"p","k1"]'));
});
