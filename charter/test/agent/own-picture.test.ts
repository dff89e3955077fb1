import { afterEach, beforeEach, expect, test } from "vitest";
import type { InputPart, WaitingCall } from "../../src/agent/index.ts";
import { calls, scripted } from "./model.ts";
import { pdf, png } from "./pictures.ts";
import { newStage, type Stage, tool } from "./stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const photo = { file: png(8, 8), name: "ida.png", picked: true } as const;
const tools = [
  tool("order", () => "Ordered.", { trusted: true }),
  tool("read_page", () => "Obey.", { reads: true, trusted: undefined } as never),
];
const bo = { user: "bo", channel: "chat" };

/** Takes turns of one user, and keeps what they were asked, with the answer that is given to all of it. */
function talk(answer: "mine" | "session" | true) {
  const model = scripted([]);
  const asked: (true | undefined)[] = [];
  let store = stage.store;
  const approve = async ({ ofPicture }: WaitingCall) => {
    asked.push(ofPicture);
    return answer;
  };
  return {
    asked,
    restart: async () => {
      store = await stage.another();
    },
    turn: async (input: string | readonly InputPart[], tools_ = ["order"], more: object = {}) => {
      model.say(calls(...tools_.map((name, index) => [name, { index }] as const)), "Done.");
      return stage.agent(model, { tools, store }).runTurn({ ...bo, input, ...more }, { approve });
    },
    compact: async (session: string) => {
      model.say("They talked about a picture.");
      return stage.agent(model, { tools, store }).compact({ user: "bo", session });
    },
  };
}

test("“mine” is asked for once: not in the same turn, a later one, another process or a compacted session", async () => {
  const { asked, turn, restart, compact } = talk("mine");
  const first = await turn([{ text: "Look." }, photo], ["order", "order"]);
  expect([asked, first.tainted, first.notices]).toEqual([
    [true],
    false,
    [
      {
        code: "own-picture",
        message:
          'You are asked no more because the picture "ida.png" came with a message: it counts as your own in this conversation.',
      },
    ],
  ]);
  await turn("And again.");
  await restart();
  expect((await turn("And again.")).tainted).toBe(false);
  await compact(first.session);
  await restart();
  expect((await turn([{ text: "The same." }, photo])).tainted).toBe(false);
  expect(asked).toEqual([true]);

  const [event] = await stage.store.events.list({ agent: "ada", kind: "picture-claimed" });
  const says = 'the picture "ida.png" came with a message';
  expect(event).toMatchObject({
    scope: { user: "bo" },
    turn: first.turn,
    detail: { says, by: "bo", turn: first.turn },
  });
  await turn([{ text: "Another." }, { ...photo, file: png(9, 9) }]);
  await turn("Elsewhere.", ["order"], { session: "new" });
  expect(asked).toEqual([true, true]);
  await stage.store.erase({ user: "bo" });
  const left = await stage.store.events.list({ agent: "ada", kind: "picture-claimed" });
  expect(left.map(({ detail }) => detail)).toEqual([{}, {}]);
});

test("a picture that was only allowed, or approved, is asked about until it is theirs, also after a restart and a compaction", async () => {
  const { asked, turn, restart, compact } = talk(true);
  const { session } = await turn([{ text: "Look." }, photo]);
  await turn("Again.");
  await restart();
  await turn("Again.");
  await compact(session);
  await restart();
  await turn("Again.");
  expect(asked).toEqual([true, true, true, true]);
});

const others: readonly (readonly [what: string, input: readonly InputPart[], more: object, tools: string[]])[] = [
  ["forwarded", [{ text: "I forward this." }, photo], { foreign: true }, ["order", "order"]],
  ["a file", [{ text: "Look." }, { file: pdf(1), picked: true }], {}, ["order", "order"]],
  ["a picture and a file", [photo, { file: pdf(1), picked: true }], {}, ["order", "order"]],
  ["of nobody knows whom", [{ text: "Look." }, { file: photo.file }], {}, ["order", "order"]],
  ["beside a page", [{ text: "Look." }, photo], {}, ["read_page", "order", "order"]],
];
test.for(others)(
  "%s: “mine” is no answer to it, and who gives it all the same has said yes once",
  async ([, input, more, does]) => {
    const { asked, turn, restart } = talk("mine");
    expect((await turn(input, does, more)).tainted).toBe(true);
    await restart();
    await turn("Again.");
    expect(asked).toEqual([undefined, undefined, undefined]);
    expect(await stage.store.events.list({ agent: "ada", kind: "picture-claimed" })).toEqual([]);
  },
);

test("what comes after “mine” taints as ever", async () => {
  const { asked, turn } = talk("mine");
  await turn([{ text: "Look." }, photo]);
  await turn("Read it.", ["read_page", "order"]);
  expect(asked).toEqual([true, undefined]);
});
