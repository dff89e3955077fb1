import { expect, test } from "vitest";
import { type HeldCall, type HeldProposal, type HeldTool, waitingOf } from "./waiting.ts";

test("proposals, calls and tools are one list, oldest first", () => {
  const proposal = (id: string, at: string) => ({ id, at }) as HeldProposal;
  const call = (id: string, at: string) => ({ id, at }) as HeldCall;
  const proposals = [proposal("a", "2026-03-01"), proposal("b", "2026-03-03")];
  const calls = [call("c", "2026-03-02"), call("d", "2026-03-04")];
  const tools = [{ id: "e", at: "2026-03-02T12" } as HeldTool];
  const kinds = waitingOf({ proposals, calls, tools }).map(({ id, call, tool }) => [
    id,
    tool ? "tool" : call ? "call" : "proposal",
  ]);
  expect(kinds).toEqual([
    ["a", "proposal"],
    ["c", "call"],
    ["e", "tool"],
    ["b", "proposal"],
    ["d", "call"],
  ]);
});
