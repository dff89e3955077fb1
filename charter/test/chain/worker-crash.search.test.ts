import { test } from "vitest";
import { some } from "../tiers/search.ts";
import { expectOneReplyInSpiteOf } from "./worker-kills.ts";

/** A message is read and its reply is in a block after about so many requests. */
const moments = Array.from({ length: 16 }, (_, index) => index + 1);

test("a process that dies at any request of a reply, before the node has it or after: one reply on the chain", async () => {
  await expectOneReplyInSpiteOf(
    some(moments).map((moment) => ({ at: (count) => count >= moment, how: moment % 2 === 0 ? "lost" : "cut" })),
  );
});
