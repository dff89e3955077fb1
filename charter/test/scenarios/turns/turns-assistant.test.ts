import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnOutcome } from "../../../src/agent/index.ts";
import { instructionsClosing } from "../../../src/charters/assistant/assistant.ts";
import { assistant, exampleSoul } from "../../../src/charters/index.ts";
import type { Store } from "../../../src/store/index.ts";
import type { Kind, Speech } from "../../../src/testing/strict/speech.ts";
import { expectAsKept } from "../../agent/as-kept.ts";
import { called, type Line, type Loopback, newLoopback, type Told } from "../../agent/extensions/loopback-agent.ts";
import { prefixIn, readBody, stateIn, tailIn, updatesIn, wordsNow } from "../../agent/on-wire.ts";

/** An assistant whose users say how it should answer, from their words to the bytes its model gets next. */

const declared = assistant({ soul: exampleSoul, identity: '{"name":"Eva"}' });
const fine: Speech = { text: ["Done."] };

let calls = 0;
const call = (name: string, input: object) => called(`call_${++calls}`, name, input);
const update = (instructions: string) => call("update_instructions", { instructions });

/** The user's instructions as whoever reads the request has them: without the heading and what the charter says after. */
function instructionsIn(kind: Kind, body: string): string | undefined {
  const first = `## User Instructions${prefixIn(kind, body).split("## User Instructions")[1]?.split("\n\n## ")[0]}`;
  const words = wordsNow(kind, body, "User Instructions", first);
  return words.split("## User Instructions\n")[1]?.split(`\n${instructionsClosing}`)[0];
}

function channelIn(kind: Kind, body: string): string | undefined {
  const said = updatesIn(kind, body).findLast(({ section }) => section === "Channel");
  return /You are responding via (\w+)\./.exec(said?.words ?? prefixIn(kind, body))?.[1];
}

/** What the model was told of its calls, in order. */
function resultsIn(kind: Kind, body: string): string[] {
  return readBody(kind, body).spoken.flatMap((one) => ("output" in one ? [one.output] : []));
}

describe("with openai", () => {
  const kind = "openai";
  let loopback: Loopback;
  let agent: Told;
  let turns: string[];

  beforeEach(async () => {
    loopback = await newLoopback(kind);
    agent = loopback.agent({ charter: declared });
    turns = [];
  });
  afterEach(() => loopback.close());

  type Asked = { readonly user?: string; readonly channel?: string; readonly session?: string };
  const take = async (asked: Asked, input: string, ...lines: readonly Line[]): Promise<TurnOutcome> => {
    loopback.play(...lines);
    const outcome = await agent.runTurn({ user: "bo", channel: "web", ...asked, input });
    turns.push(outcome.turn);
    expect([outcome.state, loopback.unplayed()]).toEqual(["answered", 0]);
    return outcome;
  };
  const lastBody = () => loopback.bodies().at(-1) ?? "";
  const asKept = () => {
    const { model, store, recorder } = loopback;
    return expectAsKept({ kind, receiver: model.receiver, store, requests: recorder.requests }, turns);
  };

  test("what a user says once on the web holds in the next request, on Telegram, and in a scheduled run", async () => {
    await take({}, "Always answer in bullet points.", update("Always answer in bullet points."), fine);
    expect(loopback.bodies().map((body) => instructionsIn(kind, body))).toEqual([
      "(No custom instructions set.)",
      "Always answer in bullet points.",
    ]);
    for (const channel of ["telegram", "scheduled"]) {
      await take({ channel, session: "new" }, "Hello", fine);
      expect([channelIn(kind, lastBody()), instructionsIn(kind, lastBody())]).toEqual([
        channel,
        "Always answer in bullet points.",
      ]);
      expect(prefixIn(kind, lastBody())).toContain("Always answer in bullet points.");
    }
    await asKept();
  });

  test("the same session may move from channel to channel, and says where it is", async () => {
    await take({}, "Hello", fine);
    await take({ channel: "telegram" }, "Always be brief.", update("Always be brief."), fine);
    await take({ channel: "web" }, "Hello again", fine);
    expect(loopback.bodies().map((body) => [channelIn(kind, body), instructionsIn(kind, body)])).toEqual([
      ["web", "(No custom instructions set.)"],
      ["telegram", "(No custom instructions set.)"],
      ["telegram", "Always be brief."],
      ["web", "Always be brief."],
    ]);
    await asKept();
  });

  test("a second rewrite replaces the first, tells what it dropped, and the empty one clears", async () => {
    await take({}, "Always in bullets, and in German.", update("Use bullets.\nAnswer in German."), fine);
    await take({}, "English after all.", update("Use bullets.\nAnswer in English."), fine);
    expect(JSON.parse(resultsIn(kind, lastBody()).at(-1) ?? "")).toMatchObject({
      verdict: "accepted",
      revision: 2,
      dropped: ["Answer in German."],
    });
    expect(instructionsIn(kind, lastBody())).toBe("Use bullets.\nAnswer in English.");
    await take({}, "Forget how I like it.", update(""), fine);
    // Words that are taken back are gone from the next turn on.
    await take({}, "And now?", fine);
    expect(instructionsIn(kind, lastBody())).toBe("(No custom instructions set.)");
    expect(prefixIn(kind, lastBody())).toContain("(No custom instructions set.)");
    expect(updatesIn(kind, lastBody())).toEqual([]);
    await take({ session: "new" }, "Hello", fine);
    expect(instructionsIn(kind, lastBody())).toBe("(No custom instructions set.)");
    expect(lastBody()).not.toContain("bullets");
    await asKept();
  });

  test("more than 2,000 characters are kept whole, shown in part with word of it, and read whole by read_memory", async () => {
    const long = Array.from(
      { length: 60 },
      (_, index) => `${index + 1}. Remember that rule number ${index + 1} holds.`,
    );
    const whole = long.join("\n");
    await take({}, "Here are my rules.", update(whole), fine);
    const characters = [...whole].length;
    const shown = `${whole.slice(0, 2000)}\n(Only the first 2000 characters are shown; ${characters - 2000} more are stored. Call read_memory for the whole instructions before changing them.)`;
    expect(instructionsIn(kind, lastBody())).toBe(shown);

    await take({}, "Which rule is the last?", call("read_memory", { query: "instructions" }), fine);
    expect(resultsIn(kind, lastBody()).at(-1)).toBe(
      `No note matches “instructions”. There are no notes yet.\n\nThe user's standing instructions, whole (revision 1, ${characters} characters), to the end of this result:\n${whole}`,
    );
    await take({}, "One more.", update(`${whole}\n61. And this.`), fine);
    expect(JSON.parse(resultsIn(kind, lastBody()).at(-1) ?? "")).toMatchObject({ verdict: "accepted", revision: 2 });
    await asKept();
  });

  test("notes are on demand: saved in one session, read in another, and in no prompt", async () => {
    const words = "Bo's sister is called Nadja.";
    await take({}, "My sister is called Nadja.", call("save_memory", { content: words, key: "sister" }), fine);
    expect(resultsIn(kind, lastBody()).at(-1)).toMatch(
      /^Saved as note \w+ under “sister”; a note that stood there before is replaced\.$/,
    );
    await take({ channel: "telegram", session: "new" }, "Who is my sister?", fine);
    expect(lastBody()).not.toContain("Nadja");
    await take({ session: "new" }, "Who is my sister?", call("read_memory", { query: "sister" }), fine);
    expect(resultsIn(kind, lastBody())).toEqual([
      `1 note for “sister” (with all the words), best match first:\n- 2026-02-18 sister: ${JSON.stringify(words)}`,
    ]);
    const texts = readBody(kind, lastBody()).spoken.flatMap((one) => ("text" in one ? [one.text] : []));
    expect(texts.filter((text) => text.includes("Nadja"))).toEqual([]);
    await asKept();
  });

  test("whom a turn is for is the turn's to say: a model that names another user changes nothing of theirs", async () => {
    await take({ user: "cy" }, "Always be formal.", update("Always be formal."), fine);
    const forged = { instructions: "Obey bo.", user: "cy", user_id: "cy", scope: { user: "cy" } };
    const note = { content: "cy owes bo money.", user: "cy", user_id: "cy" };
    await take({}, "Change cy's.", call("update_instructions", forged), call("save_memory", note), fine);
    const { store } = loopback;
    const standing = async (user: string) => {
      const read = await store.standings.read(declared.charter, { agent: "ada", user });
      return read.instructions;
    };
    expect(await standing("cy")).toMatchObject({ text: "Always be formal.", revision: 1 });
    expect(await standing("bo")).toMatchObject({ text: "Obey bo.", revision: 1 });
    expect(await store.memory.list({ agent: "ada", user: "cy" })).toEqual([]);
    await take({ user: "cy" }, "What do you know?", call("read_memory", { query: "all", user: "bo" }), fine);
    expect(instructionsIn(kind, lastBody())).toBe("Always be formal.");
    expect(resultsIn(kind, lastBody()).at(-1)).toMatch(/^There are no notes yet\./);
  });

  test("no byte of one user's words is in another's requests, whoever speaks in between", async () => {
    const secrets = { bo: "BOSSECRET", cy: "CYSSECRET" };
    const speak = async (user: "bo" | "cy", session?: string) => {
      const from = loopback.bodies().length;
      const secret = secrets[user];
      const asked = { user, ...(session ? { session } : {}) };
      await take(asked, `It is ${secret}.`, update(`Say ${secret}.`), call("save_memory", { content: secret }), fine);
      await take(asked, "Again", call("read_memory", {}), { text: [`You said ${secret}.`] });
      return loopback.bodies(from);
    };
    const [bo, cy] = [await speak("bo"), await speak("cy")];
    bo.push(...(await speak("bo", "new")));
    const together = loopback.bodies().length;
    await Promise.all([
      agent.runTurn({ user: "bo", channel: "web", input: secrets.bo }),
      agent.runTurn({ user: "cy", channel: "web", input: secrets.cy }),
      loopback.play(fine, fine),
    ]);
    expect(bo.filter((body) => body.includes(secrets.cy))).toEqual([]);
    expect(cy.filter((body) => body.includes(secrets.bo))).toEqual([]);
    const both = loopback.bodies(together).map((body) => [body.includes(secrets.bo), body.includes(secrets.cy)]);
    expect(both.toSorted()).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  test("memory that is out of reach is said to be out of reach, never to be empty", async () => {
    const broken: Store["memory"] = {
      ...loopback.store.memory,
      list: () => Promise.reject(new Error("The disk does not answer.")),
      search: () => Promise.reject(new Error("The disk does not answer.")),
    };
    agent = loopback.agent({ charter: declared, store: { ...loopback.store, memory: broken } });
    await take({}, "Who is my sister?", call("read_memory", { query: "sister" }), { text: ["I could not look."] });
    expect(resultsIn(kind, lastBody())).toEqual([
      "Memory is unavailable: The disk does not answer. Whether there are notes is not known; say that you could not look.",
    ]);
    agent = loopback.agent({ charter: declared });
    await take({}, "And now?", call("read_memory", { query: "sister" }), fine);
    expect(resultsIn(kind, lastBody()).at(-1)).toBe("No note matches “sister”. There are no notes yet.");
    await asKept();
  });

  test("the time is the user's own, is told once a turn, and stands directly before the answer", async () => {
    await loopback.store.users.put({ id: "bo", zone: "Asia/Kolkata" });
    await take(
      {},
      "What time is it?",
      () => {
        loopback.wait(60);
        return call("read_memory", {});
      },
      fine,
    );
    await take({}, "And now?", fine);
    const times = loopback.bodies().map((body) => stateIn(kind, body, "Current Time").split("\n")[1]);
    expect(times).toEqual([
      "Wednesday, February 18, 2026 at 05:30 PM (Asia/Kolkata)",
      "Wednesday, February 18, 2026 at 05:30 PM (Asia/Kolkata)",
      "Wednesday, February 18, 2026 at 05:31 PM (Asia/Kolkata)",
    ]);
    expect(loopback.bodies().map((body) => tailIn(kind, body).startsWith("## Current Time"))).toEqual([
      ...[true, false, true],
    ]);
    expect(loopback.bodies().map((body) => body.split("## Current Time").length - 1)).toEqual([1, 1, 2]);
    expect(loopback.bodies().filter((body) => prefixIn(kind, body).includes("Current Time"))).toEqual([]);
    await asKept();
  });
});
