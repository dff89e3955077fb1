import { expect, test } from "vitest";
import { askedOf, permissionOf } from "./permission.ts";

const held = (kind: string, title: unknown = "make") => ({ tool: `acp:${kind}`, input: { kind, title, paths: [] } });

test.for([
  [held("execute"), "asks to run: make"],
  [held("edit", "src/a.ts"), "asks to edit: src/a.ts"],
  [held("switch_mode", "Plan"), "asks to switch its mode: Plan"],
  [held("other"), "asks to use a tool of its own: make"],
  [held("constructor"), "asks to use a tool of its own: make"],
  [held("read", ""), "asks to read"],
  [held("execute", "make\n\u001B[2Jclean"), "asks to run: make [2Jclean"],
  [{ tool: "acp:execute", input: "odd" }, "asks to use a tool of its own"],
  [{ tool: "send_mail", input: { title: "make" } }, undefined],
] as const)("what a held call asks for, in words: %o", ([call, words]) => expect(askedOf(call)).toBe(words));

test("a request for permission is read as it was kept, and whatever else stands there is not", () => {
  const input = { kind: "edit", title: "Change it", paths: ["/a", 7], input: { text: "x" }, policy: "allow" };
  const asked = { kind: "edit", title: "Change it", paths: ["/a"], input: { text: "x" } };
  expect(permissionOf({ tool: "acp:edit", input })).toEqual(asked);
});
