import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { house, told } from "./house.ts";
import { anthropicLike, assistantSays, createTalk } from "./talk.ts";

test("the request in docs/delivery.md is one that is really made", () => {
  const page = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/delivery.md"), "utf8");
  const [, shown = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const talk = createTalk(house, anthropicLike);
  talk.ask(told(), { input: "Hello." });
  talk.answer(assistantSays("Hi."));
  const { delivery } = talk.ask(told({ goals: "Grow fast.", clock: "It is one.", inbox: "Call me." }), {
    input: "Grow.",
  });
  expect(JSON.parse(shown)).toEqual(delivery.request);
});
