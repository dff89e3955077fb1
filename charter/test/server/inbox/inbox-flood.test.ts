import { expect, test } from "vitest";
import { flood } from "./flood.ts";

test("new signers from one address are few a minute; others there are answered meanwhile", async () => {
  const { answers, others } = await flood({ home: "sqlite", signers: 30, addresses: "one" });
  expect(answers).toEqual({ "201 posted": 20, "429 rate-limited": 10 });
  expect(others).toBeGreaterThan(0);
});

test("new signers from everywhere wait in a lane of their own: others are answered within a few turns", async () => {
  const { answers, others, turns } = await flood({ home: "sqlite", signers: 40, addresses: "many" });
  expect(answers).toEqual({ "201 posted": 40 });
  expect(others).toBeGreaterThan(0);
  expect(turns).toBeLessThanOrEqual(6);
});
