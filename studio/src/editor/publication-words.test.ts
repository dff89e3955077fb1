import { expect, test } from "vitest";
import { type PublicationOutcome, publicationWords } from "./publication-words.ts";

const [one, other] = ["wss://one.example", "wss://other.example"];
const down = { place: other, reason: "it is full" };
const cases: readonly (readonly [outcome: Omit<PublicationOutcome, "id">, words: string])[] = [
  [{ state: "published", taken: [one], missed: [] }, "Published on its one relay."],
  [{ state: "published", taken: [one, other], missed: [] }, "Published on all 2 relays."],
  [{ state: "published", taken: [one], missed: [down] }, "Published on 1 of 2 relays."],
  [{ state: "published", taken: [], missed: [] }, "Published."],
  [{ state: "waiting", taken: [], missed: [down] }, "Not published yet: no relay took it. It is kept, and sent again."],
  [
    { state: "waiting", taken: [one], missed: [{ place: one, reason: "it does not show it" }] },
    "Not published yet: no relay shows it. It is kept, and sent again.",
  ],
  [{ state: "superseded", taken: [], missed: [] }, "Not published: a later change replaced it."],
  [
    { state: "superseded", taken: [one], missed: [], conflict: { ours: "a", theirs: "b", id: "1" } },
    "Something newer was written elsewhere at the same time. That is the current text.",
  ],
];

for (const [outcome, words] of cases) test(words, () => expect(publicationWords({ id: "00", ...outcome })).toBe(words));
