import { expect, test } from "vitest";
import { type HeldCall, type HeldProposal, type HeldTool, waitingOf } from "./held-card.tsx";

test("proposals, calls and tools are one list, oldest first", () => {
  const proposal = (id: string, at: string) => ({ id, at }) as HeldProposal;
  const call = (id: string, at: string) => ({ id, at }) as HeldCall;
  const proposals = [proposal("a", "2026-03-01"), proposal("b", "2026-03-03")];
  const calls = [call("c", "2026-03-02"), call("d", "2026-03-04")];
  const tools = [{ id: "e", at: "2026-03-02T12" } as HeldTool];
  expect(waitingOf({ proposals, calls, tools }).map(({ id }) => id)).toEqual(["a", "c", "e", "b", "d"]);
});
