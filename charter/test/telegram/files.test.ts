import { afterEach, describe, expect, test } from "vitest";
import { type Loopback, newLoopback } from "../agent/extensions/loopback-agent.ts";
import { calls, spoken } from "../agent/model.ts";
import { png } from "../agent/pictures.ts";
import { tool } from "../agent/stage.ts";
import { privateMessage } from "./fake.ts";
import { agent, newStage, type Stage } from "./stage.ts";

let stage: Stage;
let loopback: Loopback | undefined;
afterEach(async () => {
  await stage.close();
  await loopback?.close();
  loopback = undefined;
});

const photo = png(640, 480);
const sizes = [
  { file_id: "small", width: 90, height: 67 },
  { file_id: "large", width: 640, height: 480, file_size: photo.length },
];
const sends = (more: object) => stage.fake.happens({ message: privateMessage(7, 1, more) });
const document = (id: string, more: object = {}) => ({ document: { file_id: id, file_name: `${id}.bin`, ...more } });
const asked = (method: string) => stage.fake.calls.filter((call) => call.method === method);

const begin = async () => {
  await stage.link("ada", 7);
  const bot = stage.bot();
  await bot.start();
  return bot;
};

describe("a photo sent to the bot", () => {
  test("reaches the model on the wire with its caption, is kept by its digest, and taints the turn", async () => {
    const wire = await newLoopback("anthropic");
    loopback = wire;
    wire.play({ text: ["A grey field."] }, { text: ["Still grey."] });
    stage = await newStage({ loadModel: async () => wire.model });
    const { fake, store } = stage;
    fake.keeps("large", photo);
    await begin();
    sends({ photo: sizes, caption: "What is this?" });
    await fake.sent(7, 1);
    expect(fake.textsTo(7)).toEqual(["A grey field."]);
    const base64 = Buffer.from(photo).toString("base64");
    expect(wire.bodies()[0]?.split(base64)).toHaveLength(2);
    expect(wire.bodies()[0]).toContain("What is this?");
    const [turn] = await store.turns.list({ agent });
    expect(turn).toMatchObject({
      ...{ input: "What is this?", tainted: true },
      attachments: [{ mediaType: "image/png", bytes: photo.length, width: 640, height: 480 }],
    });
    sends({ photo: sizes });
    await fake.sent(7, 2);
    expect((await store.turns.list({ agent })).map(({ input }) => input).sort()).toEqual(["", "What is this?"]);
    expect(asked("getFile").map(({ payload }) => payload)).toEqual([{ file_id: "large" }, { file_id: "large" }]);
  });
});

test("a photo of one's own may be answered “mine”, at its button; a forwarded one has no such button", async () => {
  stage = await newStage({ tools: [tool("order", () => "Ordered.", { trusted: true })] });
  const { fake, store, model } = stage;
  fake.keeps("large", photo);
  await begin();
  const order = calls(["order", { what: "a field" }]);
  model.say(order, "May I?", "It is done.", order, "And again.");
  sends({ photo: sizes, caption: "Order this." });
  await fake.until(() => fake.sentTo(7).length === 2);
  expect(fake.sentTo(7)[1]?.buttons.map(({ text }) => text)).toEqual(["Approve", "Yes, the picture is mine", "Reject"]);
  fake.presses(7, "Yes, the picture is mine");
  await fake.until(() => fake.textsTo(7).includes("It is done."));
  fake.says(7, "Once more.");
  await fake.until(() => fake.textsTo(7).includes("And again."));
  expect((await store.turns.list({ agent })).map(({ tainted }) => tainted)).toEqual([false, false, true]);

  model.say(order, "May I?");
  sends({ photo: sizes, forward_origin: { type: "hidden_user", sender_user_name: "Lee", date: 1 } });
  await fake.until(() => fake.sentTo(7).at(-1)?.buttons.length === 2);
  expect(
    fake
      .sentTo(7)
      .at(-1)
      ?.buttons.map(({ text }) => text),
  ).toEqual(["Approve", "Reject"]);
});

test("a process that ends before it has the file leaves it to the next", async () => {
  stage = await newStage();
  const { fake, store, model } = stage;
  model.say("A field.");
  fake.keeps("large", photo);
  fake.trouble("(file)", "hang");
  const first = await begin();
  sends({ photo: sizes, caption: "What is this?" });
  await fake.until(() => asked("(file)").length === 1);
  await first.stop(0);
  expect(await store.turns.list({ agent })).toEqual([]);
  await stage.bot().start();
  await fake.sent(7, 1);
  expect(fake.textsTo(7)).toEqual(["A field."]);
  expect(await store.turns.list({ agent })).toMatchObject([{ attachments: [{ bytes: photo.length }] }]);
});

test("what is too large or of another kind is answered with a sentence, and no turn is taken for it", async () => {
  stage = await newStage();
  const { fake, store } = stage;
  await store.agents.update(agent, async ({ charter }) => ({
    charter,
    settings: { attachments: { maxBytes: 200_000 } },
  }));
  fake.keeps("zip", new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]));
  fake.keeps("empty", new Uint8Array());
  fake.keeps("liar", new Uint8Array(20_000_000).fill(65), 1000);
  fake.keeps("huge", new Uint8Array(1), 30_000_000);
  await begin();
  for (const one of ["zip", "empty", "liar", "huge"]) sends(document(one));
  sends(document("said", { file_size: 200_001 }));
  await fake.sent(7, 5);
  const tooLarge = "That file is too large for me: I take 200 kB at most. Send a smaller one.";
  expect(fake.textsTo(7)).toEqual([
    "That file is of a kind I cannot read. I can read: PNG, JPEG, GIF, WEBP, PDF, text.",
    "That file is empty. Please send it again.",
    ...[tooLarge, tooLarge, tooLarge],
  ]);
  expect(asked("getFile").map(({ payload }) => payload.file_id)).toEqual(["zip", "empty", "liar", "huge"]);
  expect(await store.turns.list({ agent })).toEqual([]);
  await store.agents.update(agent, async ({ charter }) => ({ charter, settings: { attachments: { maxCount: 0 } } }));
  sends(document("zip"));
  await fake.sent(7, 6);
  expect(fake.textsTo(7).at(-1)).toBe("That is a file, which I cannot read.");
});

test("a download is tried again; one that fails is said, its caption answered, and nobody hears the token", async () => {
  stage = await newStage();
  const { fake, store, model, log } = stage;
  model.say("Seen.", "You say so.");
  fake.keeps("large", photo);
  fake.trouble("getFile", { status: 500 });
  fake.trouble("(file)", "drop", { retryAfter: 1 });
  await begin();
  sends({ photo: sizes, caption: "What is this?" });
  await fake.sent(7, 1);
  expect(fake.textsTo(7)).toEqual(["Seen."]);
  fake.trouble("(file)", "drop", "drop", "drop", "drop");
  sends({ photo: sizes });
  await fake.sent(7, 2);
  sends({ ...document("gone"), caption: "And this?" });
  await fake.sent(7, 4);
  expect(fake.textsTo(7).slice(1)).toEqual([
    "I could not get that photo from Telegram. Please send it again.",
    "I could not get that file from Telegram. Please send it again.",
    "You say so.",
  ]);
  expect(spoken(model.requests.at(-1) as never)).toContain(
    "user: And this?\n\n[A file came with it, which you cannot read.]",
  );
  expect(log.filter((line) => line.includes('"telegram-file"'))).toHaveLength(2);
  expect(log.join("\n")).not.toContain(fake.token);
  expect(await store.turns.list({ agent })).toHaveLength(2);
});

test("what is typed under a photo may be kept as an own note, and the chat is told; what another bot wrote is not", async () => {
  stage = await newStage();
  const { fake, store, model } = stage;
  fake.keeps("large", photo);
  await begin();
  const caption = "This is my sister. She is called Ida.";
  const note = calls(["save_memory", { content: "She is called Ida." }]);
  model.say(note, "Noted.", note, "Noted again.");
  sends({ photo: sizes, caption });
  await fake.sent(7, 2);
  const [own] = await store.memory.list({ agent, user: "ada" });
  expect(fake.textsTo(7)).toEqual([
    `Kept as your own words: “She is called Ida.” To undo it, forget note ${own?.id}.`,
    "Noted.",
  ]);
  sends({ photo: sizes, caption, via_bot: { id: 9, is_bot: true, first_name: "Helper" } });
  await fake.sent(7, 3);
  expect((await store.memory.list({ agent, user: "ada" })).map(({ tainted }) => tainted)).toEqual([true, false]);
});
