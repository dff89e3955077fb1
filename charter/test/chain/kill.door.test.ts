import { test } from "vitest";
import { expectOneReplyInSpiteOf } from "./worker-kills.ts";

/** Every other request: worker-crash.search.test.ts. */
test("a process that dies over sending a reply that the node got: one reply on the chain", async () => {
  await expectOneReplyInSpiteOf([{ at: (_, methods) => methods.includes("eth_sendRawTransaction"), how: "lost" }]);
});
