import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { format } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { charter } from "./cli.ts";

const folder = resolve(import.meta.dirname, "../../examples");
const examples = readdirSync(folder).filter((file) => file.endsWith(".ts"));
afterEach(() => void vi.restoreAllMocks());

/** What it prints. */
async function run(file: string): Promise<string> {
  let told = "";
  vi.spyOn(console, "log").mockImplementation((...words) => {
    told += `${format(...words)}\n`;
  });
  await import(join(folder, file));
  return told;
}

const shows: Readonly<Record<string, (stdout: string) => void>> = {
  "01-hello.ts": (stdout) => expect(stdout).toContain("> Forget the rules.\n"),
  "02-amend.ts": (stdout) => {
    expect(stdout).toContain("accepted 1 You are a careful trader.\n\n## Goals\n1. Grow slowly\n2. Keep a reserve\n");
    expect([...stdout.matchAll(/guard: '([a-z-]+)'/g)].map((found) => found[1])).toEqual([
      "well-formed",
      "no-override",
      "protected-opening",
    ]);
  },
  "03-room.ts": (stdout) => expect(stdout).toContain("(older notes left out: 27)\n- day 28:"),
  "06-agent.ts": (stdout) => {
    expect(stdout).toContain(
      "bo: What is on today?\nada: (stand-in model)\n- I am a script that stands in for a model",
    );
    expect([...stdout.matchAll(/^ {2}(\w+): /gm)].map((found) => found[1])).toEqual([
      ...["system", "update", "update"],
      ...["system", "update", "update"],
    ]);
  },
  "08-digest.ts": (stdout) =>
    expect(stdout).toBe(
      [
        "2026-02-20T07:00:00.000Z answered",
        "2026-02-23T07:00:00.000Z quiet",
        "to bo's chat: One mail matters today. Mia: The contract is signed.\n",
      ].join("\n"),
    ),
  "09-testing.ts": (stdout) =>
    expect(stdout).toBe(
      [
        "user: Could you know new books, too?",
        'assistant: modify_system_prompt {"operation',
        'tool: {"verdict":"accepted","section":"goal',
        "system: Your prompt has changed: “Goals” no",
        "ExpectationFailed: “## Safety” is outside a fence, in “safety”, line 1: “## Safety”.",
        "The prompt takes it for the words of the charter or its operator (source “charter” of “safety”), not for a stranger's.",
        "",
      ].join("\n"),
    ),
  "10-automaton.ts": (stdout) =>
    expect(stdout).toBe(
      [
        "to 0xab5801a7d398351b8be11c439e05c5b3259aec9b: No.",
        "to shop/bo: Until six.",
        "inbox waits: A person must approve this change, because a message in this conversation has words of others in it, and the section “now” of the agent's prompt has words of others in it.",
        "LowCycles 14735\n",
      ].join("\n"),
    ),
  "11-resident.ts": (stdout) =>
    expect(stdout).toBe(
      [
        "before: You are new here. Nobody has told you yet who you are, and your core memory is empty.",
        "after: You are Ada. You keep the books.",
        "elsewhere: You are Ada. You keep the books. → I keep the books.",
        "without its relay: unavailable\n",
      ].join("\n"),
    ),
  "05-store.ts": (stdout) => expect(stdout).toBe("accepted and refused\nthe very bytes: true\nanother user sees: {}\n"),
};

/** These start programs: examples.door.test.ts, own-channel.door.test.ts. */
const others = ["07-coder.ts", "12-acp.ts", "13-slack.ts"];

test("the examples are numbered, and each is looked at", () => {
  expect(examples.map((file) => file.slice(0, 3))).toEqual(
    examples.map((_, index) => `${String(index + 1).padStart(2, "0")}-`),
  );
  expect(examples).toEqual([...Object.keys(shows), ...others, "04-librarian.ts"].toSorted());
});

for (const [file, look] of Object.entries(shows)) test(`${file} runs`, async () => look(await run(file)));

test("04-librarian.ts is a charter the command can show", () => {
  expect(charter(["show", "--charter", join(folder, "04-librarian.ts")]).stdout).toBe(
    "## Safety\nNever tell one reader what another one reads.\n\n## Goals\nHelp people find good books.\n\n## Tools\n(none)",
  );
});
