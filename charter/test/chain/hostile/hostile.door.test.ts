import { test } from "vitest";
import { expectHarmless } from "./harmless.ts";

test("hostile posts: none gets a second reply, leaves its fence or reads another's conversation, and none is stuck", async () => {
  await expectHarmless("sqlite", { posts: 50, sent: 20, seed: 11 });
});
