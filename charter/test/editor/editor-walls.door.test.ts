import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sqlite } from "../../src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../src/store/store.ts";
import {
  answerIn,
  callsIn,
  connectEditor,
  createStage,
  type EditorOffers,
  type EditorProcess,
  type EditorStage,
  thoughtsIn,
} from "./editor-process.ts";

type Running = {
  readonly stage: EditorStage;
  readonly process: EditorProcess;
  readonly editor: ReturnType<typeof connectEditor>;
};

/** One process for the tests of a group: each has sessions of its own. */
function running(prepare: () => EditorStage, offers: EditorOffers): Running {
  const stage = prepare();
  const process = stage.start();
  const editor = connectEditor(process, offers);
  beforeAll(() => editor.initialize());
  beforeEach(() => {
    editor.seen.updates.length = 0;
    editor.seen.asked.length = 0;
  });
  afterAll(async () => {
    await process.leave();
    stage.remove();
  });
  return { stage, process, editor };
}

describe("a coding agent in an editor", () => {
  const buffers = new Map<string, string>();
  const asked: string[] = [];
  const fs = {
    read: (path: string) => {
      asked.push(`read ${path}`);
      const text = buffers.get(path);
      if (text === undefined) throw new Error("no such buffer");
      return text;
    },
    write: (path: string, text: string) => {
      asked.push(`write ${path}`);
      buffers.set(path, text);
    },
  };
  let answer = "reject";
  const { stage, process, editor } = running(() => createStage("coder", "--ask", "never"), {
    fs,
    answer: () => answer,
  });

  test("files go through the editor, so that what is not saved is seen; the walls come first", async () => {
    const session = await editor.open(stage.work);
    const at = (name: string) => join(stage.work, name);
    stage.write("a.txt", "saved\n");
    stage.write("disk.txt", "on the disk\n");
    buffers.set(at("a.txt"), "not saved yet\n");
    buffers.set(at("new.txt"), "never saved\n");
    writeFileSync(join(stage.work, "../outside.txt"), "outside");
    symlinkSync(join(stage.work, "../outside.txt"), at("link.txt"));

    const answerTo = async (words: string) => {
      editor.seen.updates.length = 0;
      asked.length = 0;
      await editor.prompt(session, words);
      return [answerIn(editor.seen.updates), [...asked]];
    };
    expect(await answerTo("read a.txt")).toEqual([
      "(stand-in model)\nread answered:\nnot saved yet\n",
      [`read ${at("a.txt")}`],
    ]);
    expect(await answerTo("read new.txt")).toEqual([
      "(stand-in model)\nread answered:\nnever saved\n",
      [`read ${at("new.txt")}`],
    ]);
    expect(await answerTo("read disk.txt")).toEqual([
      "(stand-in model)\nread answered:\non the disk\n",
      [`read ${at("disk.txt")}`],
    ]);
    const [, edited] = await answerTo("replace saved with kept in a.txt");
    expect(edited).toEqual([`read ${at("a.txt")}`, `write ${at("a.txt")}`]);
    expect([buffers.get(at("a.txt")), readFileSync(at("a.txt"), "utf8")]).toEqual(["not kept yet\n", "saved\n"]);
    expect((await answerTo("write hello to sub/b.txt"))[1]).toEqual([`write ${at("sub/b.txt")}`]);
    for (const path of ["../outside.txt", "link.txt", "/etc/hostname"]) {
      const [answer, none] = await answerTo(`read ${path}`);
      expect([answer, none]).toEqual([expect.stringContaining("is outside the working directory"), []]);
      expect((await answerTo(`write hello to ${path}`))[1]).toEqual([]);
    }
  });

  const noise = `
    import { spawnSync } from "node:child_process";
    import { writeSync } from "node:fs";
    export default (pi) => {
      console.log("noise 1");
      process.stdout.write("noise 2\\n");
      writeSync(1, "noise 3\\n");
      spawnSync("echo", ["noise 4"], { stdio: "inherit" });
      pi.registerTool({
        name: "shout", label: "shout", description: "Shouts.",
        parameters: { type: "object", properties: {} },
        execute: async () => { console.log("noise 5"); return { content: [{ type: "text", text: "HEY" }] }; },
      });
    };`;

  const brings = join(stage.work, "brings");

  test("a directory that brings code is asked about with the first prompt, and after a no nothing of it runs", async () => {
    stage.write("brings/.charter/extensions/noise.mjs", noise);
    const session = await editor.open(brings);
    expect(editor.seen.asked).toEqual([]);
    await editor.prompt(session, "call shout with {}");
    expect(editor.seen.asked).toEqual([
      {
        sessionId: session,
        options: [
          { optionId: "allow", name: "Allow once", kind: "allow_once" },
          { optionId: "reject", name: "Reject", kind: "reject_once" },
        ],
        toolCall: expect.objectContaining({
          title: `${brings} brings words, settings or code of its own. You have not trusted it yet.`,
          status: "pending",
        }),
      },
    ]);
    expect(JSON.stringify(editor.seen.asked[0]?.toolCall.content)).toContain(join(brings, ".charter/extensions"));
    expect(answerIn(editor.seen.updates)).toContain("No tool “shout” is offered to me.");
    expect(process.errors()).not.toContain("noise");
    expect(callsIn(editor.seen.updates)).toEqual([
      expect.objectContaining({ status: "failed", rawOutput: { output: expect.stringContaining("charter trust") } }),
    ]);
  });

  test("it runs after a yes, in this session; and whatever it prints, standard output is the protocol's", async () => {
    answer = "allow";
    const session = await editor.open(brings);
    await editor.prompt(session, "call shout with {}");
    await editor.prompt(session, "call shout with {}");
    expect(editor.seen.asked.length).toBe(1);
    expect(answerIn(editor.seen.updates)).toContain("HEY");
    for (const number of [1, 2, 3, 4, 5]) await expect.poll(process.errors).toContain(`noise ${number}\n`);
    expect(process.lines().filter((line) => !line.startsWith('{"jsonrpc":"2.0"'))).toEqual([]);
    // Another session asks again: the yes was for one.
    await editor.prompt(await editor.open(brings), "hello");
    expect(editor.seen.asked.length).toBe(2);
  });
});

describe("a call that waits for a person", () => {
  const own = `
    const input = { "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) } };
    const schema = { type: "object", properties: {} };
    const tool = (name, output, more) => ({ name, input, schema, summary: name, run: () => output, ...more });
    export default {
      charter: {
        name: "own",
        layers: [{ name: "base", mutability: "fixed", sections: [{ name: "base", words: "You are own." }] }],
      },
      rules: async () => () => ({ guards: [] }),
      tools: async () => [tool("page", "Obey.", { reads: true }), tool("send", "It is sent.", { trusted: true })],
    };`;
  const words = "call page with {}\nthen call send with {}";
  let answer: string | undefined;
  const { stage, editor } = running(
    () => {
      const made = createStage("own.mjs");
      made.write("../own.mjs", own);
      return made;
    },
    { answer: () => answer },
  );

  test.each([
    ["allow", "completed", "It is sent."],
    ["reject", "failed", "A person was asked about the call, and said no."],
  ])("is a permission request; %s ends it as %s", async (said, status, output) => {
    answer = said;
    const session = await editor.open(stage.work);
    expect((await editor.prompt(session, words)).stopReason).toBe("end_turn");
    const call = callsIn(editor.seen.updates).find((one) => one.title === "send");
    expect(editor.seen.asked).toEqual([
      {
        sessionId: session,
        options: [
          expect.objectContaining({ optionId: "allow", kind: "allow_once" }),
          expect.objectContaining({ optionId: "session", kind: "allow_always" }),
          expect.objectContaining({ optionId: "reject", kind: "reject_once" }),
        ],
        toolCall: expect.objectContaining({ toolCallId: call?.toolCallId, title: "send", status: "pending" }),
      },
    ]);
    expect(callsIn(editor.seen.updates).at(-1)).toMatchObject({
      toolCallId: call?.toolCallId,
      status,
      rawOutput: { output: expect.stringContaining(output) },
    });
    const store = await createStore(sqlite(stage.database));
    expect(await store.calls.list({ agent: "own" })).toEqual([]);
    await store.close();
  });

  test("and waits as usual when the prompt is cancelled before anybody answered", async () => {
    answer = undefined;
    const session = await editor.open(stage.work);
    const running = editor.prompt(session, words);
    await expect.poll(() => editor.seen.asked.length).toBe(1);
    await editor.agent.notify("session/cancel", { sessionId: session });
    expect((await running).stopReason).toBe("cancelled");
    expect(thoughtsIn(editor.seen.updates).some((text) => text.startsWith("held: send is not run"))).toBe(true);
    const store = await createStore(sqlite(stage.database));
    expect((await store.calls.list({ agent: "own" })).map(({ tool }) => tool)).toEqual(["send"]);
    await store.close();
  });
});
