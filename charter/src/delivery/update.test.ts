import { expect, test } from "vitest";
import { anthropicLike, openaiLike } from "../../test/delivery/talk.ts";
import {
  type Baseline,
  besideInput,
  isUpdate,
  type Update,
  updateMessage,
  updatePlacements,
  updatePlaces,
  withoutFoldedUpdates,
} from "./baseline.ts";
import type { Message } from "./model.ts";

const gone = (section: string, text = `${section} is gone`): Update => ({
  turn: "t1",
  step: 1,
  section,
  text,
  told: null,
});
const base: Baseline = { version: 2, secret: "s", words: [], updates: [], offers: "", summary: null };
const user: Message = { role: "user", text: "goals is gone" };
const updates = [gone("goals"), gone("wishes"), gone("goals")];
const [goals, wishes] = updates.map((one) => updateMessage(one, openaiLike)) as [Message, Message];

test("an update is a message in the receiver's voice that says which section it is of", () => {
  expect(goals).toEqual({ role: "system", text: "goals is gone", update: "goals" });
  expect(updateMessage(gone("goals"), anthropicLike)).toEqual({ role: "user", text: "goals is gone", update: "goals" });
  expect([goals, user, { role: "assistant" as const, text: "", calls: [] }].map(isUpdate)).toEqual([
    true,
    false,
    false,
  ]);
});

const facts = { layer: "now", mutability: "live", stability: "state", source: "inbox", revision: null } as const;
const told = (section: string, trust: "own" | "user" | "foreign"): Update => ({
  ...gone(section, `${section} now`),
  told: { ...facts, trust, spans: [], tokens: null },
});

test("in the user's role the system speaks before the input, and other people after it", () => {
  const input: Message = { role: "user", text: "Hello." };
  const all = [
    told("inbox", "foreign"),
    told("clock", "own"),
    gone("goals"),
    told("wishes", "user"),
    told("feed", "foreign"),
  ];
  const said = (role: "system" | "user", text: string, update: string) => ({ role, text, update });
  expect(besideInput(all, input, anthropicLike)).toEqual([
    said("user", "clock now", "clock"),
    said("user", "goals is gone", "goals"),
    said("user", "wishes now", "wishes"),
    input,
    said("user", "inbox now", "inbox"),
    said("user", "feed now", "feed"),
  ]);
  expect(besideInput(all, input, openaiLike)).toEqual([
    input,
    said("user", "inbox now", "inbox"),
    said("user", "feed now", "feed"),
    said("system", "clock now", "clock"),
    said("system", "goals is gone", "goals"),
    said("system", "wishes now", "wishes"),
  ]);
  for (const receiver of [anthropicLike, openaiLike]) expect(besideInput([], input, receiver)).toEqual([input]);
});

test("what the receiver forgets by itself says so", () => {
  expect(updateMessage({ ...told("hooks", "own"), clears: true }, openaiLike)).toEqual({
    ...{ role: "system", text: "hooks now" },
    ...{ update: "hooks", clears: true },
  });
});

test("a baseline leaves in a history what it still has to say, and what others said", () => {
  expect(withoutFoldedUpdates([goals, user, wishes], base)).toEqual([user]);
  expect(withoutFoldedUpdates([goals, user, wishes], { ...base, updates: [gone("wishes")] })).toEqual([user, wishes]);
});

test("each update is found where it stands, in order; the same words of a user are not it", () => {
  expect(updatePlaces(updates, [user, goals, wishes, user, goals])).toEqual([1, 2, 4]);
  expect(updatePlaces(updates, [goals, wishes])).toEqual([0, 1, -1]);
  expect(updatePlaces(updates, [goals, goals])).toEqual([0, -1, 1]);
  expect(updatePlacements(updates, [goals, user]).map(({ slot, message }) => [slot, message])).toEqual([["update", 0]]);
});
