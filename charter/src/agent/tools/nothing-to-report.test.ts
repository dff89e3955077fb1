import { expect, test } from "vitest";
import type { ToolContext } from "../tool.ts";
import { nothingToReport } from "./reminders.ts";

const run = async (channel: string | undefined) =>
  nothingToReport().run({} as never, { channel } as Partial<ToolContext> as ToolContext);

test("in a scheduled run it is noted", async () => {
  expect(await run("scheduled")).toBe("Noted: the user is sent nothing. End with one short sentence for the record.");
});

test("where someone waits for an answer it is refused", async () => {
  const text = "This is no scheduled run: someone is waiting for an answer. Nothing was noted.";
  for (const channel of ["web", "telegram", undefined]) expect(await run(channel)).toEqual({ text, failed: true });
});
