import { expect, test } from "vitest";
import { plainRefusal } from "./refusal.ts";

test("what is held says which text it is because of; what other checks mind is said in plain words", () => {
  const because = "A person must approve this change, because a picture came with a message.";
  expect(plainRefusal({ guard: "needs-approval", because, holds: true })).toBe(because);
  expect(plainRefusal({ guard: "room", because: "1200 tokens are over." })).toBe(
    "It is too long: there is no room left for it.",
  );
  expect(plainRefusal({ guard: "of-ones-own", because: "Odd." })).toBe("This change was not accepted.");
});
