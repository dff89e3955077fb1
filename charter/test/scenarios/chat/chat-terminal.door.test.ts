import { describe, expect, test } from "vitest";
import { png } from "../../agent/pictures.ts";
import { inStore, newFolder } from "../../chat.ts";
import { charterMeanwhile } from "../../cli.ts";
import { charterAtTerminal, hasTerminal } from "../../terminal.ts";
import { begins, calls, newProvider, says, talkingTo } from "./provider.ts";

/** Conversations with a model, on a real terminal. */

const provider = newProvider();

describe.runIf(hasTerminal)("on a terminal", () => {
  const folder = newFolder();
  const open = (...more: string[]) =>
    charterAtTerminal([...talkingTo, ...more], { cwd: folder.path, env: provider.env() });

  test("an answer is shown as it comes; Ctrl-C stops it, and it is wiped; Ctrl-D leaves", async () => {
    const terminal = open();
    await terminal.shows("/help lists the commands");
    await terminal.shows("bo › ");
    provider.play(begins("An answer that never", "open"), says("Well."));
    terminal.type("tell me everything\r");
    await terminal.shows("ada › An answer that never");
    terminal.type("\u0003");
    await terminal.shows("Stopped.");
    expect(terminal.raw()).toContain("An answer that never\r\u001b[J");
    await terminal.shows("bo › ");
    terminal.type("briefly, then\r");
    await terminal.shows("ada › Well.");
    await terminal.shows("bo › ");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
  });

  test("a draft that was cut off is wiped before the answer comes", async () => {
    const terminal = open();
    await terminal.shows("bo › ");
    provider.play(begins("Half of an", "cut"), says("All of an answer."));
    terminal.type("hello\r");
    await terminal.shows("ada › All of an answer.");
    expect(terminal.raw()).toContain("Half of an\r\u001b[J");
    // Before that, Ctrl-C would stop the turn.
    await terminal.shows("bo › ");
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(0);
  });

  test("what was said before comes back with the arrow, Tab completes, and colours are there", async () => {
    const terminal = open();
    await terminal.shows("bo › ");
    expect(terminal.raw()).toContain("\u001b[1mbo ›\u001b[0m ");
    terminal.type("\u001b[A");
    await terminal.shows("hello");
    terminal.type("\u0003/mod\t");
    await terminal.shows("/model");
    terminal.type("\r");
    await terminal.shows("ada answers with openai-compatible/qwen3.");
    await terminal.shows("bo › ");
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(0);
  });

  test("several pasted lines are one input", async () => {
    const terminal = open("--session", "new");
    await terminal.shows("bo › ");
    provider.play(says("Read."));
    terminal.type("\u001b[200~one\rtwo\rthree\u001b[201~\r");
    await terminal.shows("ada › Read.");
    expect(provider.requests().at(-1)?.body).toContain("one\\ntwo\\nthree");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
  });

  test("what is typed beside a photo is kept as one's own words, and told with its undo; a pipe types nothing", async () => {
    folder.write("ida.png", png(8, 8));
    const save = calls({
      calls: [{ id: "c1", name: "save_memory", input: JSON.stringify({ content: "She is called Ida." }) }],
    });
    const line = "/file ida.png This is my sister. She is called Ida.";
    const terminal = open("--session", "new");
    await terminal.shows("bo › ");
    provider.play(save, says("Noted."));
    terminal.type(`${line}\r`);
    await terminal.shows("! own-words: Kept as your own words: “She is called Ida.”");
    await terminal.shows("ada › Noted.");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
    provider.play(save, says("Noted."));
    const piped = await charterMeanwhile([...talkingTo, "--session", "new"], {
      ...{ cwd: folder.path, env: provider.env(), stdin: `${line}\n` },
    });
    expect(piped).toMatchObject({ code: 0, stderr: expect.not.stringContaining("own-words") });
    const scope = { agent: "ada", user: "bo" };
    expect((await inStore(folder, ({ memory }) => memory.list(scope))).map(({ tainted }) => tainted)).toEqual([
      true,
      false,
    ]);
  });
});
