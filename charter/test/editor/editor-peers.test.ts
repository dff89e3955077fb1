import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2/unstable";
import * as old from "acp-sdk-1";
import * as oldV2 from "acp-sdk-1/experimental/v2";
import { afterAll, expect, test } from "vitest";
import { createStage, settled } from "./editor-process.ts";

const stage = createStage("coder");
afterAll(stage.remove);

test("a client of an older SDK takes a turn in version 1", async () => {
  const process = stage.start();
  const updates: unknown[] = [];
  const end = await old
    .client({ name: "old" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .connectWith(process.stream as old.Stream, async (agent) => {
      await agent.request("initialize", { protocolVersion: 1 });
      const { sessionId } = await agent.request("session/new", { cwd: stage.work, mcpServers: [] });
      return settled(await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] }));
    });
  expect(end.stopReason).toBe("end_turn");
  expect(JSON.stringify(updates)).toContain("(stand-in model)");
  expect(await process.leave()).toBe(0);
});

type Seen = { readonly sessionUpdate: string; readonly state?: string; readonly stopReason?: string | null };

/** The same with either SDK: the draft of version 2 is the same on the wire. */
const versions: readonly (readonly [string, typeof v2])[] = [
  ["this SDK", v2],
  ["an older SDK", oldV2 as unknown as typeof v2],
];

test.each(versions)("a client of %s takes a turn in version 2, and resumes the session", async (_name, sdk) => {
  const process = stage.start();
  const updates: Seen[] = [];
  const isIdle = () => updates.some(({ state, stopReason }) => state === "idle" && stopReason != null);
  await sdk
    .client({ name: "two" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update as Seen))
    .connectWith(process.stream as never, async (agent) => {
      const info = { name: "two", version: "1.0" };
      const said = await agent.request("initialize", { protocolVersion: 2, info, capabilities: {} });
      expect(said).toMatchObject({
        protocolVersion: 2,
        info: { name: "charter" },
        capabilities: { session: {}, _meta: { "buzz.systemPrompt": true } },
      });
      const { sessionId } = await agent.request("session/new", { cwd: stage.work });
      const prompt = [{ type: "text" as const, text: "write hello to b.txt" }];
      const { messageId } = await agent.request("session/prompt", { sessionId, prompt });
      await expect.poll(isIdle).toBe(true);
      expect(updates).toEqual([
        { sessionUpdate: "user_message", messageId, content: [{ type: "text", text: "write hello to b.txt" }] },
        { sessionUpdate: "state_update", state: "running" },
        expect.objectContaining({ sessionUpdate: "tool_call_update", title: "write b.txt", status: "in_progress" }),
        expect.objectContaining({ sessionUpdate: "tool_call_update", status: "completed" }),
        expect.objectContaining({ sessionUpdate: "agent_message_chunk" }),
        expect.objectContaining({ sessionUpdate: "agent_message_chunk" }),
        expect.objectContaining({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" }),
      ]);
      updates.length = 0;
      await agent.request("session/close", { sessionId });
      await settled(
        await agent.request("session/resume", { sessionId, cwd: stage.work, replayFrom: { type: "start" } }),
      );
      expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
        "user_message",
        "tool_call_update",
        "tool_call_update",
        "agent_message_chunk",
        "state_update",
      ]);
    });
  expect(await process.leave()).toBe(0);
});

test("acpx drives it through a turn", async () => {
  const manifest = createRequire(import.meta.url).resolve("acpx/package.json");
  const { bin } = createRequire(import.meta.url)(manifest) as { bin: Readonly<Record<string, string>> };
  const acpx = join(dirname(manifest), bin.acpx as string);
  const agent = stage.command.map((word) => JSON.stringify(word)).join(" ");
  const args = [acpx, "--agent", agent, "--approve-all", "--format", "quiet", "exec", "write hello to c.txt"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: stage.work, env: stage.env });
  expect(stdout.trim()).toBe("(stand-in model) Created “c.txt” (6 bytes).");
});

test("a line of more than 32 MiB ends the connection with a message", async () => {
  const process = stage.start();
  const chunk = Buffer.alloc(1024 * 1024, "x");
  for (let count = 0; count <= 32; count++) process.send(chunk);
  expect(await process.ended).toBe(1);
  expect(process.errors()).toBe(
    "bad-client-message: The connection was ended: Incoming ACP data exceeds the configured 33554432 byte limit.\n",
  );
});
