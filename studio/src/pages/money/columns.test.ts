import { expect, test } from "vitest";
import type { Ground } from "../../chart/plot.tsx";
import { outlines } from "./columns.ts";

const ground: Ground = {
  zoom: 1,
  column: 2,
  top: 0,
  bottom: 100,
  left: (index) => index * 2,
  middle: (index) => index * 2 + 1,
  y: (value) => 100 - value,
};

test("everything of one part that is billed alike is one outline, in all columns", () => {
  const columns = [
    [
      { read: 2, written: 0, fresh: 1 },
      { read: 0, written: 0, fresh: 3 },
    ],
    [
      { read: 4, written: 0, fresh: 0 },
      { read: 0, written: 0, fresh: 0 },
    ],
  ];
  expect(outlines(columns, ground)).toEqual([
    { part: 0, kind: "read", path: "M0 98h2v2h-2zM2 96h2v4h-2z" },
    { part: 0, kind: "fresh", path: "M0 97h2v1h-2z" },
    { part: 1, kind: "fresh", path: "M0 94h2v3h-2z" },
  ]);
});
