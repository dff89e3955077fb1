import { expect, test } from "vitest";
import { tookText } from "./took.ts";

const rows: [to: string, text: string][] = [
  ["2026-02-18T12:00:00.060Z", "60 ms"],
  ["2026-02-18T12:00:02.400Z", "2.4 s"],
  ["2026-02-18T12:00:59.949Z", "59.9 s"],
  ["2026-02-18T12:00:59.970Z", "1 min 0 s"],
  ["2026-02-18T12:01:59.700Z", "2 min 0 s"],
  ["2026-02-18T12:59:59.900Z", "1 h 0 min"],
  ["2026-02-18T12:03:20.000Z", "3 min 20 s"],
  ["2026-02-18T14:05:00.000Z", "2 h 5 min"],
  ["2026-02-18T11:00:00.000Z", "0 ms"],
];
for (const [to, text] of rows)
  test(`how long something took: ${text}`, () => expect(tookText("2026-02-18T12:00:00.000Z", to)).toBe(text));
