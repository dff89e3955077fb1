import { expect, test } from "vitest";
import { type HeldCall, type HeldProposal, waitingOf } from "./waiting.ts";

test("proposals and calls are one list, oldest first", () => {
  const proposal = (id: string, at: string) => ({ id, at }) as HeldProposal;
  const call = (id: string, at: string) => ({ id, at }) as HeldCall;
  const proposals = [proposal("a", "2026-03-01"), proposal("b", "2026-03-03")];
  const calls = [call("c", "2026-03-02"), call("d", "2026-03-04")];
  expect(waitingOf({ proposals, calls }).map(({ id, call: its }) => [id, its !== undefined])).toEqual([
    ["a", false],
    ["c", true],
    ["b", false],
    ["d", true],
  ]);
});
