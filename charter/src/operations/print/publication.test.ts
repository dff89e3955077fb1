import { expect, test } from "vitest";
import { hintsHere } from "./command-name.ts";
import { publicationLines, verdictText } from "./verdict.ts";

const id = "ab".repeat(32);
const [a, b] = ["wss://a.example", "wss://b.example"] as const;

test("who took it is named, and who did not, with the reason on one line", () => {
  const missed = [{ place: b, reason: "blocked:\n\u001b[31mno" }];
  expect(publicationLines({ id, state: "published", taken: [a], missed }, "core")).toEqual([
    `published: event ${id}, taken by ${a}`,
    `  not on ${b}: blocked: [31mno`,
  ]);
});

test("what nobody took waits", () => {
  const missed = [{ place: a, reason: "could not be reached" }];
  expect(publicationLines({ id, state: "waiting", taken: [], missed }, "core")).toEqual([
    hintsHere(`not published yet: event ${id} waits, and is sent again later; to try now: charter core publish`),
    `  not on ${a}: could not be reached`,
  ]);
});

test("a conflict shows both texts, after the verdict", () => {
  const conflict = { ours: "I am Ada.\nI like tea.", theirs: "I am Ada.\nI like coffee.", id: "cd".repeat(32) };
  const publication = { id, state: "superseded", taken: [a], missed: [], conflict } as const;
  const outcome = { verdict: "unchanged", before: "", after: "", revision: 3, publication } as const;
  expect(verdictText(outcome, "core").split("\n")).toEqual([
    "unchanged: “core” says exactly this already (revision 3)",
    `conflict: event ${conflict.id} was published at the same time, and is current; yours, event ${id}, is in the history`,
    "--- core (yours)",
    `+++ core (event ${conflict.id})`,
    "@@ -1,2 +1,2 @@",
    " I am Ada.",
    "-I like tea.",
    "+I like coffee.",
    "",
  ]);
});
