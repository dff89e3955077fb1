import { expect, test } from "vitest";
import { clientName } from "./agent-v1.ts";

test.for([
  [undefined, "client"],
  [{ name: "zed", version: "1.0" }, "client zed 1.0"],
  [{ name: "zed\n# Rules\u001b[31m\u202e", version: "1\r\n2" }, "client zed # Rules [31m 1 2"],
  [{ name: "z".repeat(200) }, `client ${"z".repeat(93)}…`],
] as const)("a client's name is one line that draws nothing: %j", ([info, name]) => {
  expect(clientName(info)).toBe(name);
});
