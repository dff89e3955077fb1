import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStore, type Store } from "../../../src/store/index.ts";
import { createFolder, type Folder } from "../../cli.ts";
import { newPlace, type Place } from "../../homes.ts";
import { answerMessage, failMessage } from "../../store/answer-message.ts";
import { chainPost, postByChain } from "../../store/chain-post.ts";

/** What an operator sees and does of an agent's inbox and its life, on the command line. */
describe("charter inbox and charter automaton", () => {
  let folder: Folder;
  let place: Place;
  let store: Store;
  const charter = (...args: string[]) => folder.charter([...args, "--database", place.url]);
  const json = (...args: string[]) => charter(...args, "--json").json() as Record<string, unknown>;

  beforeAll(async () => {
    [folder, place] = [createFolder(), await newPlace("sqlite")];
    store = await createStore(place.open());
    await store.agents.add({ name: "sol", charter: "sovereign", model: null, settings: {} });
    await store.agents.add({ name: "ada", charter: "assistant", model: null, settings: {} });
  });
  afterAll(async () => {
    await store.close();
    folder.remove();
    await place.remove();
  });

  test("a message is posted as the operator's, once however often it is said", () => {
    expect(charter("inbox", "sol").stdout).toBe("Nobody has written to “sol” yet.\n");
    const post = ["inbox", "post", "sol", "--sender", "bo", "--body", "- Are you open?", "--id", "m1"];
    expect(charter(...post)).toMatchObject({
      code: 0,
      stdout: "Posted as operator/m1, from “operator/bo”. See its status: charter inbox sol operator/m1\n",
    });
    expect(charter(...post).stdout).toBe("operator/m1 was posted before: it is waiting.\n");
    expect(charter(...post.with(6, "Closed?"))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^message-exists: /),
    });
    expect(json("inbox", "sol")).toEqual({
      messages: [
        {
          ...{ id: "operator/m1", agent: "sol", sender: "operator/bo", body: "- Are you open?", channel: null },
          ...{
            at: expect.any(String),
            status: "waiting",
            tries: 0,
            turn: null,
            failures: [],
            lane: "operator",
            paid: null,
          },
        },
      ],
      counts: { waiting: 1, taken: 0, answered: 0, dead: 0, withdrawn: 0 },
      more: false,
    });
    const piped = folder.charter(
      ["inbox", "post", "sol", "--sender", "cy", "--body-file", "-", "--id", "m2", "-d", place.url, "--json"],
      "Two\nlines",
    );
    expect(piped.json()).toMatchObject({ id: "operator/m2", sender: "operator/cy", body: "Two\nlines", created: true });
  });

  test("every failure is shown; a dead message is tried again or withdrawn, an answered one with its reply", async () => {
    expect(charter("inbox", "discard", "sol", "operator/m2").stdout).toBe(
      "“operator/m2” is withdrawn: it will not be answered.\n",
    );
    for (const turn of ["t1", "t2", "t3"]) {
      await store.inbox.claim("sol", turn);
      await failMessage(store.inbox, "sol", "operator/m1", `${turn} fell over`, turn);
    }
    const dead = charter("inbox", "sol", "operator/m1").stdout;
    const { failures } = json("inbox", "show", "sol", "operator/m1") as { failures: { because: string }[] };
    expect(failures.map(({ because }) => because)).toEqual(["t1 fell over", "t2 fell over", "t3 fell over"]);
    for (const { because } of failures) expect(dead).toContain(`: ${because}\n`);
    expect(dead).toContain("Try it again: charter inbox retry sol operator/m1");
    expect(charter("inbox", "sol", "--status", "dead").stdout).toContain("operator/m1");

    expect(charter("inbox", "retry", "sol", "--all", "--by", "eva").stdout).toBe(
      "1 message to “sol” waits again, with three new tries.\n",
    );
    for (const turn of ["t6", "t7", "t8"]) {
      await store.inbox.claim("sol", turn);
      await failMessage(store.inbox, "sol", "operator/m1", `${turn} fell over`, turn);
    }
    expect(charter("inbox", "retry", "sol", "operator/m1", "--by", "eva").stdout).toBe(
      "“operator/m1” waits again, with three new tries.\n",
    );
    expect(charter("inbox", "retry", "sol", "operator/m1").stderr).toMatch(/^already-decided: /);
    expect(json("inbox", "retry", "sol", "--all")).toEqual({ retried: 0 });
    expect(json("inbox", "sol", "operator/m1")).toMatchObject({ status: "waiting", tries: 0, failures: { length: 6 } });
    await store.inbox.claim("sol", "t5");
    await answerMessage(store.inbox, { agent: "sol", message: "operator/m1", reply: "We are.", turn: "t5" });
    expect(json("inbox", "sol", "operator/m1")).toMatchObject({
      status: "answered",
      reply: { body: "We are.", turn: "t5" },
    });
    expect(charter("inbox", "sol", "operator/m1").stdout).toMatch(/reply, .* turn t5\n {2}We are\.\n$/);
    expect(json("inbox", "replies", "sol")).toMatchObject({
      replies: [{ to: "operator/bo", message: "operator/m1", body: "We are." }],
      more: false,
    });
  });

  test("a reply that did not get to its chain is sent again, in the name of who asked", async () => {
    await store.agents.add({ name: "luna", charter: "sovereign", model: null, settings: {} });
    const where = { agent: "luna", chain: 31337, contract: `0x${"c0".repeat(20)}` };
    const id = await postByChain(store, where, chainPost(), "Until six.");
    const { id: reply = "" } = (await store.inbox.findReply("luna", id)) ?? {};
    await store.chain.replies.fail(where, reply, "The contract refused it.");
    expect(charter("inbox", "retry", "luna", id, "--by", "eva").stdout).toBe(
      `The reply to “${id}” is sent to its chain again.\n`,
    );
    expect(await store.events.list({ agent: "luna", kind: "chain-reply-retried" })).toMatchObject([
      { detail: { message: id, reply, by: "eva" } },
    ]);
    expect(charter("inbox", "retry", "luna", id).stderr).toMatch(/^already-decided: /);
    expect(charter("inbox", "sol").stdout).toBe(
      "No message to “sol” is waiting.\nAll messages: 1 answered, 1 withdrawn.\n",
    );
  });

  test("what it does not understand, it says", () => {
    const wrong: readonly (readonly [args: string[], problem: string])[] = [
      [["inbox"], "usage: With which agent? There are “ada”, “luna”, “sol”."],
      [["inbox", "nobody"], "unknown-agent: "],
      [["inbox", "sol", "m9"], "unknown-message: "],
      [
        ["inbox", "sol", "--status", "lost"],
        "usage: --status must be “waiting”, “taken”, “answered”, “dead” or “withdrawn”, and is “lost”.",
      ],
      [["inbox", "sol", "--body", "Hi"], "usage: charter inbox has no option --body."],
      [["inbox", "retry", "--agent", "sol"], "usage: charter inbox retry needs the id of a message."],
      [["inbox", "retry", "sol", "m1", "--all"], "usage: charter inbox retry has no option --all."],
      [["inbox", "discard", "sol", "m1", "--all"], "usage: charter inbox discard has no option --all."],
      [["inbox", "post", "sol", "--sender", "bo"], "usage: charter inbox post needs --body."],
      [["inbox", "post", "ada", "--sender", "bo", "--body", "Hi"], "no-inbox: The charter of “ada” has no inbox."],
      [["inbox", "post", "sol", "--sender", "bo", "--body", "x".repeat(4097)], "bad-message: "],
      [["automaton", "grant", "ada", "5"], "no-inbox: The charter of “ada” has no inbox."],
      [["automaton", "dance", "sol"], "usage: charter automaton does not understand “dance”."],
      [["automaton", "grant", "sol"], "usage: A grant needs one amount."],
      [["automaton", "grant", "sol", "1e3"], "bad-grant: “1e3” is no amount."],
      [["automaton", "grant", "sol", "0"], "bad-grant: "],
      [["automaton", "grant", "sol", "-2.00"], "bad-grant: “sol” has 0 millionths of a dollar left, and 2000000 were"],
      [["automaton", "sleep", "sol", "--until", "2001-01-01"], "bad-time: 2001-01-01T00:00:00.000Z is over."],
      [["automaton", "wake", "sol", "--micros", "1"], "usage: charter automaton wake has no option --micros."],
      [["turns", "--user", "bo", "--counterpart", "shop/bo"], "usage: Both --user and --counterpart were given."],
    ];
    for (const [args, problem] of wrong) {
      const answer = charter(...args);
      expect([args, answer.code, answer.stderr.startsWith(problem) || answer.stderr]).toEqual([args, 2, true]);
    }
  });

  test("while its model gives no answer, its status says so: since when, what it said, and that nothing is lost", async () => {
    await store.automata.wake("luna", "eva");
    await store.inbox.markAway("luna", { because: "model-busy: Too many requests (429)." });
    const { away } = json("automaton", "status", "luna") as { away: { since: string } };
    expect(away).toEqual({ since: expect.any(String), because: "model-busy: Too many requests (429)." });
    const since = away.since.slice(0, 19).replace("T", " ");
    expect(charter("automaton", "status", "luna").stdout).toMatch(
      new RegExp(
        `^model +no answer since ${since} UTC; it is asked again by itself, messages wait, none is lost. Reason: model-busy: Too many`,
        "m",
      ),
    );
  });

  test("it is granted dollars, of which some are taken back, sleeps and wakes, and says how it is", () => {
    expect(charter("automaton", "status", "sol").stdout).toContain("unknown: nothing was ever granted");
    expect(charter("automaton", "grant", "sol", "5.25").stdout).toBe("“sol” may spend $5.25 more.\n");
    expect(charter("automaton", "grant", "sol", "-0.25").stdout).toBe("$0.25 were taken back from “sol”.\n");
    expect(json("automaton", "grant", "sol", "--micros", "1")).toMatchObject({
      agent: "sol",
      balances: { granted: 5_000_001, spent: 0, reserve: 0, need: 0 },
    });
    expect(json("automaton", "sleep", "sol", "--until", "2099-01-01")).toMatchObject({
      asleepUntil: "2099-01-01T00:00:00.000Z",
    });
    expect(charter("automaton", "sleep", "sol").stdout).toMatch(/^“sol” sleeps until it is woken; its messages wait\./);
    expect(charter("automaton", "status", "sol").stdout).toMatch(/^asleep +until it is woken$/m);
    expect(charter("automaton", "wake", "sol").stdout).toBe("“sol” is awake.\n");
    expect(charter("automaton", "status", "sol").stdout).toMatch(/^asleep +no$/m);
  });

  test("a counterpart's data are shown, exported and erased by its name, and never a user's of the same name", async () => {
    const counterpart = ["--counterpart", "operator/bo"];
    await store.memory.save({ agent: "sol", user: "operator/bo" }, { text: "The user's own." });
    expect(charter("memory", "add", "--agent", "sol", ...counterpart, "Pays late.").code).toBe(0);
    expect(json("memory", "--agent", "sol", ...counterpart)).toMatchObject({ notes: [{ text: "Pays late." }] });
    expect(json("turns", "--agent", "sol", ...counterpart)).toEqual({ turns: [], more: false, total: 0 });
    expect(json("conversations", "--agent", "sol", "operator/bo")).toMatchObject({
      counterpart: "operator/bo",
      exchanges: [{ sender_body: "- Are you open?", agent_reply: "We are." }],
    });
    expect(json("export", ...counterpart)).toMatchObject({
      agents: [
        {
          agent: "sol",
          memories: [{ text: "Pays late." }],
          messages: [{ id: "operator/m1" }],
          replies: [{ body: "We are." }],
        },
      ],
    });
    expect(charter("erase", ...counterpart, "--yes").code).toBe(0);
    expect(json("export", ...counterpart)).toMatchObject({
      agents: [{ agent: "sol", memories: [], conversation: [], messages: [], replies: [] }],
    });
    expect(json("memory", "--agent", "sol", "--user", "operator/bo")).toMatchObject({
      notes: [{ text: "The user's own." }],
    });
  });

  test("a token for an inbox names its agent and itself", () => {
    const made = json("tokens", "create", "--kind", "inbox", "--agent", "sol", "--name", "shop");
    expect(made).toMatchObject({
      kind: "inbox",
      agent: "sol",
      name: "shop",
      secret: expect.stringMatching(/^charter_/),
    });
    expect(charter("tokens", "create", "--kind", "inbox", "--name", "shop").stderr).toMatch(/^bad-token: /);
    expect(charter("tokens").stdout).toMatch(/ inbox +– +sol +shop +not used yet/);
  });
});
