import { expect, test } from "vitest";
import { defineCharter, fromText, type Source } from "../../index.ts";
import { assemble } from "../../prompt/assemble.ts";
import { gather } from "../../prompt/gather.ts";
import { createComparison } from "./second-user.ts";

const profile: Source = ({ user }) => fromText(`You help ${user}.`);
const day: Source = ({ now }) => fromText(`Today is ${now}.`);
const charter = defineCharter({
  name: "librarian",
  layers: [
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent", approvedBy: "nobody" },
      sections: [{ name: "goals", heading: "## Goals", original: "Find books." }],
    },
    {
      name: "now",
      mutability: "live",
      sections: [
        { name: "profile", heading: "## Reader", trust: "own", sources: [profile] },
        { name: "day", heading: "## Day", trust: "own", sources: [day] },
        { name: "mail", trust: "foreign", sources: [profile] },
      ],
    },
  ],
});

test("what all may change is told once; a text that differs by user, and not by the day, when that is certain", async () => {
  const compare = createComparison();
  const told: unknown[] = [];
  for (const [user, now] of [
    ["mia", "2026-02-01"],
    ["bo", "2026-02-02"],
    ["mia", "2026-02-02"],
    ["bo", "2026-02-03"],
    ["mia", "2026-02-04"],
  ] as const) {
    const prompt = assemble(charter, await gather(charter, { user, now, tools: [], standing: {} }));
    told.push(compare(charter, prompt, user).map(({ section, message }) => [section, message]));
  }
  const shared =
    "All users are sent the same “goals”: what a user's turn changes there is in the next prompt of all others at once.";
  const differs =
    "“profile” is stable, in the prefix of all users, and is other text for another user, from byte 19 on.";
  expect(told).toEqual([[], [[undefined, shared]], [["profile", differs]], [], []]);
});
