import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2/unstable";
import * as old from "acp-sdk-1";
import { afterAll, expect, test } from "vitest";
import { quickNpx } from "../cli.ts";
import { createStage, settled } from "./editor-process.ts";

const stage = createStage("coder", "--ask", "never");
afterAll(stage.remove);

const page = readFileSync(join(import.meta.dirname, "../../../docs/editors.md"), "utf8");

test("a client of an older SDK takes a turn in version 1, with what the docs tell Zed to start", async () => {
  const { agent_servers: servers } = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] as string);
  const { type, command, args } = servers.Charter as { type: string; command: string; args: string[] };
  expect([type, command, ...args.slice(0, 2)]).toEqual(["custom", "npx", "charter", "acp"]);
  const process = stage.start(args.slice(1).map((word) => (word.endsWith(".db") ? stage.database : word)));
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

test("a client of this SDK takes a turn in version 2, and resumes the session", async () => {
  const process = stage.start();
  const updates: Seen[] = [];
  const isIdle = () => updates.some(({ state, stopReason }) => state === "idle" && stopReason != null);
  await v2
    .client({ name: "two" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update as Seen))
    .connectWith(process.stream, async (agent) => {
      const info = { name: "two", version: "1.0" };
      const said = await agent.request("initialize", { protocolVersion: 2, info, capabilities: {} });
      expect(said).toMatchObject({
        protocolVersion: 2,
        info: { name: "charter" },
        capabilities: { session: {}, _meta: { "buzz.systemPrompt": true } },
      });
      const { sessionId, configOptions } = await agent.request("session/new", { cwd: stage.work });
      expect(configOptions).toMatchObject([{ configId: "ask", category: "mode", currentValue: "never" }]);
      const choose = (value: string) =>
        agent.request("session/set_config_option", { sessionId, configId: "ask", type: "id", value });
      expect(await choose("always")).toMatchObject({ configOptions: [{ currentValue: "always" }] });
      await expect(choose("yolo")).rejects.toMatchObject({ code: -32602 });
      await choose("never");
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

test("acpx drives it through a turn, by the command in the docs", async () => {
  const line = /```sh\n\s*(acpx [^\n]+)/.exec(page)?.[1] as string;
  const bin = join(import.meta.dirname, "../../../node_modules/.bin");
  const PATH = [quickNpx(), dirname(process.execPath), bin, process.env.PATH].join(delimiter);
  stage.write("a.txt", "");
  const { stdout } = await promisify(execFile)("bash", ["-c", line], { cwd: stage.work, env: { ...stage.env, PATH } });
  expect(stdout).toMatch(/\(stand-in model\)[\s\S]*a\.txt[\s\S]*\[done\] end_turn/);
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
