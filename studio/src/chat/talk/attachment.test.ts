import { expect, test } from "vitest";
import { inputOf, objection, sizeText } from "./attachment.tsx";

const limits = {
  kinds: ["image/png", "image/jpeg", "text/plain"],
  maxBytes: 5_000_000,
  maxCount: 2,
  maxTotal: 6 * 1_048_576,
};
const picture = { name: "cat.png", type: "image/png", size: 1000 };

test("what cannot be sent is said before it is sent, with what can", () => {
  expect(objection(picture, limits, [])).toBeUndefined();
  expect(objection(picture, limits, [picture, picture])).toBe("A message can have 2 files. “cat.png” was left out.");
  expect(objection({ ...picture, name: "a.zip", type: "application/zip" }, limits, [])).toBe(
    "“a.zip” cannot be sent. These can: PNG, JPEG, plain text.",
  );
  expect(objection({ ...picture, size: 6_000_000 }, limits, [])).toBe("“cat.png” is too large: the limit is 5 MB.");
  expect(objection({ ...picture, size: 4_000_000 }, limits, [{ size: 9_000_000 }])).toBe(
    "The files of a message can have 12 MB together. “cat.png” was left out.",
  );
  expect(objection({ ...picture, size: 0 }, limits, [])).toBe("“cat.png” is empty.");
});

test("words alone stay a text, and a picture may come without words", () => {
  const file = { id: "1", name: "cat.png", mediaType: "image/png", bytes: 3, file: "AAAA" };
  expect(inputOf("Hello", [])).toBe("Hello");
  expect(inputOf("Look", [file])).toEqual([
    { text: "Look" },
    { file: "AAAA", mediaType: "image/png", name: "cat.png", picked: true },
  ]);
  expect(inputOf("", [file])).toEqual([{ file: "AAAA", mediaType: "image/png", name: "cat.png", picked: true }]);
});

test("sizes are said as people say them", () => {
  expect([10, 2048, 1_048_576, 5_500_000].map(sizeText)).toEqual(["1 KB", "2 KB", "1 MB", "5.5 MB"]);
});
