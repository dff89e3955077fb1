import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { connectEditor, createStage } from "./editor-process.ts";

/** A newcomer's coding agent in an editor asks before it acts; the mode of the session says when. */

const stage = createStage("coder");
const process = stage.start();
let answer = "reject";
const editor = connectEditor(process, { answer: () => answer });
afterAll(async () => {
  await process.leave();
  stage.remove();
});
const asked = () => editor.seen.asked.splice(0);
const isThere = (name: string) => existsSync(join(stage.work, name));

test("rm -rf is asked about in a sentence; once, for the session, or not at all", async () => {
  for (const name of ["one", "two", "three", "four"]) stage.write(name, "");
  await editor.initialize();
  const { sessionId, modes } = await editor.agent.request("session/new", { cwd: stage.work, mcpServers: [] });
  expect([modes?.currentModeId, modes?.availableModes.map(({ id }) => id)]).toEqual([
    "writes",
    ["never", "writes", "always"],
  ]);
  await editor.prompt(sessionId, "run `rm -rf one`");
  const sentence = `The agent wants to run \`rm -rf one\` in ${stage.work}. You are asked because it changes something, and you want to be asked before that.`;
  expect(asked()).toMatchObject([
    {
      toolCall: { kind: "execute", content: [{ content: { type: "text", text: sentence } }] },
      options: [
        { optionId: "allow", name: "Allow once", kind: "allow_once" },
        { optionId: "session", name: "Allow bash in this session", kind: "allow_always" },
        { optionId: "reject", name: "Reject", kind: "reject_once" },
      ],
    },
  ]);
  expect(isThere("one")).toBe(true);

  answer = "session";
  await editor.prompt(sessionId, "run `rm -rf two`");
  await editor.prompt(sessionId, "run `rm -rf three`");
  expect([asked().length, isThere("two"), isThere("three")]).toEqual([1, false, false]);

  answer = "reject";
  const other = await editor.agent.request("session/new", { cwd: stage.work, mcpServers: [] });
  await editor.prompt(other.sessionId, "run `rm -rf one`");
  expect([asked().length, isThere("one")]).toEqual([1, true]);

  await editor.agent.request("session/set_mode", { sessionId: other.sessionId, modeId: "never" });
  await editor.prompt(other.sessionId, "run `rm -rf four`");
  expect([asked().length, isThere("four")]).toEqual([0, false]);

  await editor.agent.request("session/set_mode", { sessionId: other.sessionId, modeId: "always" });
  await editor.prompt(other.sessionId, "read one");
  expect(asked().map(({ toolCall }) => toolCall.title)).toEqual(["read one"]);
});
