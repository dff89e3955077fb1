import { expect, test } from "vitest";
import type { AgentEvent } from "../../agent/turn-interface.ts";
import { eventLines } from "./conversation.ts";
import type { Screen } from "./screen.ts";

const asIs = (text: string) => text;
const paint = { red: asIs, green: asIs, yellow: asIs, cyan: asIs, dim: asIs, bold: asIs };
const screen = { paint, width: 200, live: true } as unknown as Screen;
const told = (event: object) => eventLines({ turn: "t", ...event } as AgentEvent, screen);

const use = { id: "1", title: "make\u001b[2J", kind: "execute", paths: [], foreign: true };
const asked = { id: "p", title: "make", kind: "execute", paths: [], input: {}, policy: "hold" };

test("the agent's own tools are told when they begin and when they fail", () => {
  const own = (status: string) => told({ kind: "own-tool", use: { ...use, status } });
  expect(["pending", "running", "done", "failed"].map(own)).toEqual([
    ["  → its own tool, to run: make [2J"],
    [],
    [],
    ["  ← its own tool failed, to run: make [2J"],
  ]);
});

test("a permission that is denied is told; one that is held says what is asked and how to decide", () => {
  expect(told({ kind: "permission", asked, answer: "deny" })).toEqual(["  × not allowed: run: make"]);
  expect(told({ kind: "permission", asked, answer: "deny", held: "h1" })).toEqual([]);
  const call = { id: "p", name: "acp:execute", input: JSON.stringify(asked) };
  expect(told({ kind: "tool-held", call, held: "h1" })).toEqual([
    "  ‖ held: the agent asks to run: make. It was told no; approved, the same is allowed once, in the next turn",
    "    Decide with /approve h1, or /reject h1",
  ]);
  expect(told({ kind: "tool-held", call: { id: "c", name: "send", input: "{}" }, held: "h2" })[0]).toBe(
    "  ‖ held: send is not run until it is approved",
  );
});
