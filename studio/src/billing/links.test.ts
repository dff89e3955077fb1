import { expect, test } from "vitest";
import { brokeWords } from "./links.tsx";

const nobody = { what: "section", revision: 2, actor: "operator", reason: null } as const;

test("the section and the turn in the sentence are set apart", () => {
  const says = "The operator changed “soul” (revision 2) in turn t1: “Bo was surprised.”";
  expect(brokeWords({ ...nobody, section: "soul", turn: "t1", says })).toEqual([
    { text: "The operator changed “", is: "words" },
    { text: "soul", is: "section" },
    { text: "” (revision 2) in turn ", is: "words" },
    { text: "t1", is: "turn" },
    { text: ": “Bo was surprised.”", is: "words" },
  ]);
});

test("a sentence that names neither stays one", () => {
  const says = "14 hours had passed.";
  expect(brokeWords({ ...nobody, what: "cold", section: null, turn: null, says })).toEqual([
    { text: says, is: "words" },
  ]);
});
