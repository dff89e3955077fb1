import { afterEach, describe, expect, test } from "vitest";
import { replayRequest } from "../../src/agent/replay.ts";
import { assistant, exampleSoul } from "../../src/charters/index.ts";
import { bodyText, replayBody } from "../../src/delivery/models/replay-body.ts";
import { sql } from "../../src/store/home/sql.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { kinds } from "../../src/testing/strict/speech.ts";
import { asksWindow, called, type Loopback, newLoopback } from "../agent/extensions/loopback-agent.ts";
import { charter } from "../cli.ts";
import { key, modelNames } from "../delivery/loopback.ts";

const declared = assistant({ soul: exampleSoul, identity: '{"name":"Eva"}' });
const input = `It's "$(date)" & \`id\` \\ 'quoted'; $HOME\nÄ second line.`;

let loopback: Loopback;
afterEach(() => loopback.close());

/** Two turns: one that keeps the user's instructions, and one after it. */
async function talk(): Promise<string[]> {
  const agent = loopback.agent({ charter: declared });
  const ask = async (words: string) => (await agent.runTurn({ user: "bo", channel: "web", input: words })).turn;
  loopback.play(called("c1", "update_instructions", { instructions: "Be brief." }), { text: ["Noted."] });
  const first = await ask(input);
  loopback.play({ text: ["Fine."] });
  return [first, await ask("And you?")];
}

describe.each(kinds)("a request to %s", (kind) => {
  test("is printed as it was handed over, as its body, and as a command to send it again", async () => {
    loopback = await newLoopback(kind);
    const [first = "", last = ""] = await talk();
    const posted = () => loopback.recorder.requests.filter((one) => !asksWindow(one));
    const bodies = posted().map(({ body }) => body);
    const database = ["--database", loopback.place.url];
    for (const [index, named] of [`${first}/1`, `${first}/2`, last].entries())
      expect(charter(["replay", named, "--body", ...database]).stdout).toBe(bodies[index]);

    const told = JSON.parse(charter(["replay", `${first}/1`, "--request", "--json", ...database]).stdout);
    const { request, body } = told;
    expect(request).toEqual(JSON.parse(JSON.stringify((await replayRequest(loopback.store, first, 1)).request)));
    expect(request.messages.some(({ text }: { text: string }) => text === input)).toBe(true);
    expect(body).toMatchObject({ text: bodies[0], digest: sha256(bodies[0] as string), same: true });
    expect(body.says).toBe(
      `Byte for byte what was sent: sha256 ${body.digest}, made by ${body.package} ${body.version}.`,
    );
    expect(JSON.stringify(told)).not.toContain(key);

    const { stdout: command } = charter(["replay", `${first}/1`, "--curl", ...database]);
    expect(command).toBe(`${body.curl}\n`);
    expect(command).not.toContain(key);
  });
});

test("a request reads as the model read it, with its tokens and whose words they are", async () => {
  loopback = await newLoopback("anthropic");
  const [first = ""] = await talk();
  const { stdout, stderr } = charter(["replay", `${first}/2`, "--request", "--database", loopback.place.url]);
  const titles = stdout.split("\n").filter((line) => /^(===|---) /.test(line));
  const named = titles.map((line) => line.replace(/[\d,]+ tokens?/, "N tokens").replace(/revision \d+/, "revision N"));
  expect(named.filter((line) => line.startsWith("==="))).toEqual([
    expect.stringMatching(/^=== tools: \d+ tools, N tokens$/),
    expect.stringMatching(/^=== system: \d+ sections, N tokens$/),
    expect.stringMatching(/^=== messages: \d+ messages, N tokens$/),
    "=== body",
  ]);
  expect(named).toContain("--- update_instructions");
  expect(named).toContainEqual(expect.stringMatching(/^--- soul · .* · N tokens/));
  expect(named).toContainEqual(expect.stringMatching(/^--- \d+ assistant · N tokens$/));
  expect(named).toContainEqual(expect.stringMatching(/^--- \d+ (system|user) · update: instructions · N tokens/));
  expect(stdout).toContain('calls update_instructions (c1) {"instructions":"Be brief."}');
  expect(stdout).toContain("=== body\nByte for byte what was sent: ");
  expect(stderr).toMatch(/^Proved: step 2 of “.*”, sent 2026-.* to anthropic\/claude-sonnet-5-5\.\n$/);
});

test("what is asked for in two forms, and a body that nobody made, are problems", async () => {
  loopback = await newLoopback("anthropic");
  const [turn = ""] = await talk();
  const database = ["--database", loopback.place.url];
  expect(charter(["replay", turn, "--body", "--curl", ...database])).toMatchObject({ code: 2 });
  const { step, request } = await replayRequest(loopback.store, turn, 1);
  expect(await replayBody("stand-in/scripted", request, null)).toBeNull();
  const sent = { ...(step.result as { sent: NonNullable<Parameters<typeof replayBody>[2]> }).sent, version: "0.0.1" };
  const made = await replayBody(modelNames.anthropic, request, sent);
  expect(made).toMatchObject({ same: true });
  expect(made && bodyText(made)).toMatch(
    /made by @ai-sdk\/anthropic 0\.0\.1, now by another version, @ai-sdk\/anthropic /,
  );
  const other = await replayBody(modelNames.anthropic, request, { ...sent, digest: sha256("other") });
  expect(other && bodyText(other)).toMatch(/^Not the bytes that were sent\. It was made by another version: sent was /);
  const unknown = await replayBody(modelNames.anthropic, request, null);
  expect(unknown && bodyText(unknown)).toMatch(/^Made now by .* Which bytes went out is not on record/);
});

test("a row that was changed behind the store's back shows, and what was erased says so", async () => {
  loopback = await newLoopback("anthropic");
  const [first = "", last = ""] = await talk();
  const { store } = loopback;
  expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
  const change = (words: Parameters<typeof sql>[0], ...values: string[]) =>
    store.home.write("everything", (db) => db.run(sql(words, ...values)));
  const fails = async () => {
    const error = await replayRequest(store, last).catch((one: { code: string }) => one);
    return "code" in error ? error.code : "none";
  };
  expect(await fails()).toBe("none");
  // Its own input was recorded with the step's result as well: the request it entered with is proved by the turn's.
  await change`update turns set input = 'Other words.' where id = ${last}`;
  expect(await fails()).toBe("replay-mismatch");
  await change`update turns set input = 'And you?' where id = ${last}`;
  await change`update steps set result = replace(result, 'Be brief.', 'Be loud.') where turn = ${first} and step = 1`;
  expect(await fails()).toBe("replay-mismatch");
  await change`update steps set result = replace(result, 'Be loud.', 'Be brief.') where turn = ${first} and step = 1`;
  expect(await fails()).toBe("none");
  await change`update turns set state = 'failed' where id = ${first}`;
  await change`update steps set result = null where turn = ${first}`;
  expect(await fails()).toBe("replay-mismatch");
  await store.erase({ user: "bo" });
  expect(await fails()).toBe("erased");
  const left = await store.home.read("everything", (db) => db.all(sql`select digest from texts where owner = 'bo'`));
  expect(left).toEqual([]);
});

test("turns that were let go are named, and their tools are gone with them", async () => {
  loopback = await newLoopback("anthropic");
  const [first = ""] = await talk();
  loopback.wait(10 * 86_400);
  const agent = loopback.agent({ charter: declared });
  loopback.play({ text: ["Later."] });
  const { turn } = await agent.runTurn({ user: "bo", channel: "web", input: "Still there?" });
  await loopback.store.retain({ receipts: 5 });
  const error = await replayRequest(loopback.store, turn).catch((one: Error) => one);
  expect(error).toMatchObject({ code: "erased", message: expect.stringContaining(`“${first}” (let go`) });
  expect(await verifyStore(loopback.store.home)).toMatchObject({ faults: [], orphans: 0 });
});
