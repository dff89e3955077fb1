import { join } from "node:path";
import { expect, test } from "vitest";
import type { OwnToolUse, PermissionRequest } from "../../src/delivery/model.ts";
import { acpStage, talkTo } from "./talk.ts";

const examples = join(import.meta.dirname, "../../../node_modules/acp-sdk-1/dist/examples");

test("the example agent of the SDK, version 1, asks for permission and goes by it", async () => {
  const { agents } = acpStage("as processes");
  const entry = { command: [process.execPath, join(examples, "agent.js")] };
  const { model } = agents({ allowed: { ...entry, permissions: "allow" }, denied: entry });
  const run = async (name: string) => {
    const talk = talkTo(model(name), { id: name });
    const prepared = await talk.prepare();
    const asked: PermissionRequest[] = [];
    const own: OwnToolUse[] = [];
    const { answer } = await talk.say("Hello", {
      onOwnTool: (use) => own.push(use),
      onPermission: async (one) => {
        asked.push(one);
        return one.policy === "allow" ? "allow" : "deny";
      },
    });
    return { prepared, text: answer?.text, asked, own: own.map(({ id, status }) => `${id} ${status}`) };
  };
  const [allowed, denied] = await Promise.all([run("allowed"), run("denied")]);
  const words = [
    "I'll help you with that. Let me start by reading some files to understand the current situation.",
    " Now I understand the project structure. I need to make some changes to improve it.",
  ];
  const prepared = { prepared: { slot: "first-message", fresh: true } };
  const asked = {
    id: "call_2",
    title: "Modifying critical configuration file",
    kind: "edit",
    paths: ["/home/user/project/config.json"],
    input: { path: "/home/user/project/config.json", content: '{"database": {"host": "new-host"}}' },
  };
  expect(allowed).toEqual({
    prepared,
    text: [...words, " Perfect! I've successfully updated the configuration. The changes have been applied."].join(""),
    asked: [{ ...asked, policy: "allow" }],
    own: ["call_1 pending", "call_1 done", "call_2 pending", "call_2 done"],
  });
  expect(denied).toEqual({
    prepared,
    text: [...words, " I understand you prefer not to make that change. I'll skip the configuration update."].join(""),
    asked: [{ ...asked, policy: "deny" }],
    own: ["call_1 pending", "call_1 done", "call_2 pending"],
  });
}, 60_000);

test("the example agent for two versions speaks the second with us", async () => {
  const { agents } = acpStage("as processes");
  const entry = { command: [process.execPath, join(examples, "dual-version-agent.js")] };
  const talk = talkTo(agents({ one: entry }).model("one"));
  expect([await talk.reply("Hello"), await talk.reply("Again")]).toEqual([
    "Hello from the v2 implementation.",
    "Hello from the v2 implementation.",
  ]);
  expect(talk.history.filter(({ role }) => role === "assistant")).toHaveLength(2);
});
