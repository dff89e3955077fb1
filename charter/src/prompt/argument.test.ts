import { expect, test } from "vitest";
import { type Anything, charter, testMistakes, turn } from "../../test/mistakes.ts";
import { roomLeft } from "../amend/guards.ts";
import * as doors from "../index.ts";
import {
  checkedCalls,
  checkOptions,
  type FieldChecks,
  isNumber,
  isText,
  kindOf,
  laterChecked,
  optional,
} from "./argument.ts";
import { charterData } from "./charter.ts";
import * as locks from "./lock.ts";
import { Problem } from "./problem.ts";

/** The door as plain JavaScript has it: no compiler stands before a mistake. */
const door: Anything = { ...doors, ...locks, roomLeft, charterData };

const declaration = { charter };
const readings = await doors.gather(charter, turn);
const prompt = doors.assemble(charter, readings);
const promise = Promise.resolve({});
const sha256 = (text: string) => text;
const { gather, assemble, defineCharter } = door;
const layer = (one: unknown) => ({ name: "a", layers: [one] });
const live = (section: unknown) => layer({ name: "l", mutability: "live", sections: [section] });

testMistakes("gather", [
  [
    "nothing",
    () => gather(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
  ["no turn", () => gather(charter), "bad-argument: The turn that gather was given is missing."],
  [
    "a charter's name",
    () => gather("librarian", turn),
    "charter-invalid: The charter “?” cannot be used: It is a text, where a charter is expected.",
  ],
  [
    "a declaration",
    () => gather(declaration, turn),
    "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
  ],
  [
    "both the wrong way round",
    () => gather(turn, charter),
    "charter-invalid: The charter “?” cannot be used: It has no name. The charter has no field “now”; there are name, layers, separator, limit, givesWay. The charter has no field “tools”; there are name, layers, separator, limit, givesWay. The charter has no field “standing”; there are name, layers, separator, limit, givesWay. “layers” is not a list.",
  ],
  ["a turn that is a text", () => gather(charter, "now"), "bad-argument: The turn that gather was given is a text."],
  ["a turn without anything", () => gather(charter, {}), "bad-argument: The `now` of the turn is missing."],
  [
    "without standing",
    () => gather(charter, { now: turn.now, tools: [] }),
    "bad-argument: The `standing` of the turn is missing.",
  ],
  [
    "without tools",
    () => gather(charter, { now: turn.now, standing: {} }),
    "bad-argument: The `tools` of the turn is missing.",
  ],
  [
    "without now",
    () => gather(charter, { tools: [], standing: {} }),
    "bad-argument: The `now` of the turn is missing.",
  ],
  ["a Date", () => gather(charter, { ...turn, now: new Date(0) }), "bad-argument: The `now` of the turn is a Date."],
  [
    "tools by name alone",
    () => gather(charter, { ...turn, tools: ["look"] }),
    "bad-argument: The `tools` of the turn are not all { name }.",
  ],
  [
    "tools in an object",
    () => gather(charter, { ...turn, tools: { look: {} } }),
    "bad-argument: The `tools` of the turn is an object that does not fit.",
  ],
  [
    "standing words as a text",
    () => gather(charter, { ...turn, standing: { goals: "Find good books." } }),
    "bad-argument: The standing of “goals” is a text.",
  ],
  [
    "standing words without text",
    () => gather(charter, { ...turn, standing: { goals: {} } }),
    "bad-argument: The standing of “goals” is an object that does not fit.",
  ],
  [
    "standing that is not awaited",
    () => gather(charter, { ...turn, standing: promise }),
    "bad-argument: The `standing` of the turn is a promise.",
  ],
  [
    "standing of no section",
    () => gather(charter, { ...turn, standing: { gaols: { text: "x", revision: 1 } } }),
    "unknown-section: The charter “librarian” has no section “gaols”.",
  ],
  [
    "a source that gives a text",
    () => gather(live({ name: "s", trust: "own", sources: [() => "text"] }), turn),
    "bad-reading: A source of “s” gave something that is no reading.",
  ],
  [
    "withStanding with a text",
    () => door.withStanding(charter, readings, { goals: "Find good books." }),
    "bad-argument: The standing of “goals” is a text.",
  ],
]);

testMistakes("assemble", [
  [
    "nothing",
    () => assemble(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
  ["no readings", () => assemble(charter), "reading-missing: The readings that assemble was given are missing."],
  [
    "the turn, gather forgotten",
    () => assemble(charter, turn),
    "reading-missing: Nothing was read for the section “goals”.",
  ],
  [
    "gather not awaited",
    () => assemble(charter, gather(charter, turn)),
    "reading-missing: Nothing was read for the section “goals”: the readings are a promise.",
  ],
  [
    "a declaration",
    () => assemble(declaration, readings),
    "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
  ],
  [
    "a charter's name",
    () => assemble("librarian", readings),
    "charter-invalid: The charter “?” cannot be used: It is a text, where a charter is expected.",
  ],
  [
    "a reading that is a text",
    () => assemble(charter, { ...readings, clock: "noon" }),
    "bad-reading: What was read for “clock” is a text, and no reading.",
  ],
  [
    "a reading that is null",
    () => assemble(charter, { ...readings, clock: null }),
    "reading-missing: Nothing was read for the section “clock”.",
  ],
  [
    "a reading that is a promise",
    () => assemble(charter, { ...readings, clock: promise }),
    "bad-reading: What was read for “clock” is a promise, and no reading.",
  ],
  [
    "a reading of no status",
    () => assemble(charter, { ...readings, clock: { status: "here" } }),
    "bad-reading: What was read for “clock” is an object that does not fit, and no reading.",
  ],
  [
    "parts that are a text",
    () => assemble(charter, { ...readings, clock: { status: "present", parts: "noon" } }),
    "bad-reading: What was read for “clock” is a text, and no reading.",
  ],
  [
    "parts that are texts",
    () => assemble(charter, { ...readings, clock: door.present(["noon"]) }),
    "bad-reading: What was read for “clock” is a list, and no reading.",
  ],
  [
    "a reading that is missing",
    () => assemble(charter, {}),
    "reading-missing: Nothing was read for the section “goals”.",
  ],
  [
    "a reading of no section",
    () => assemble(charter, { ...readings, clok: door.empty }),
    "unknown-section: There is a reading for “clok”, which is no section of “librarian”.",
  ],
  ["a number as room", () => assemble(charter, readings, 500), "bad-argument: The room is 500."],
  [
    "an edition that is none",
    () => assemble(charter, readings, { edition: "small" }),
    "unknown-edition: There is no edition “small”.",
  ],
  [
    "tokens without a tokenizer",
    () => assemble(charter, readings, { tokens: 100 }),
    "no-tokenizer: A limit in tokens was asked for and no tokenizer was given.",
  ],
  [
    "a tokenizer's name",
    () => assemble(charter, readings, { tokens: 100, tokenizer: "o200k_base" }),
    "no-tokenizer: The tokenizer that was given is a text.",
  ],
  [
    "a tokenizer that is not awaited",
    () => assemble(charter, readings, { tokens: 100, tokenizer: promise }),
    "no-tokenizer: The tokenizer that was given is a promise.",
  ],
  [
    "fromText with an object",
    () => door.fromText({}),
    "bad-argument: What fromText was given is an object that does not fit.",
  ],
  ["present with a text", () => door.present("noon"), "bad-argument: What present was given is a text."],
  ["why without a prompt", () => door.why(undefined, "books"), "bad-argument: why was given no prompt, or no words."],
  ["why with a text", () => door.why(prompt.text, "books"), "bad-argument: why was given no prompt, or no words."],
  [
    "receiptOf without sha256",
    () => door.receiptOf(charter, prompt),
    "bad-argument: receiptOf was given no prompt, or no sha256.",
  ],
  [
    "lockOf with one charter",
    () => door.lockOf(charter, sha256),
    "bad-argument: lockOf was given no list of charters, or no sha256.",
  ],
  [
    "lockDifferences without a lock",
    () => door.lockDifferences(undefined, charter, sha256),
    "bad-argument: The lock is missing.",
  ],
  ["diff without a second text", () => door.diff("a"), "bad-argument: What diff was given is missing."],
  ["fenced without words", () => door.fenced(undefined, "mallory"), "bad-argument: What fenced was given is missing."],
  [
    "roomLeft without a charter",
    () => door.roomLeft(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
  [
    "charterData without a charter",
    () => door.charterData(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
]);

testMistakes("a charter", [
  [
    "nothing",
    () => defineCharter(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
  [
    "a text",
    () => defineCharter("librarian"),
    "charter-invalid: The charter “?” cannot be used: It is a text, where a charter is expected.",
  ],
  [
    "a declaration",
    () => defineCharter(declaration),
    "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
  ],
  [
    "a list of layers",
    () => defineCharter([{ name: "l" }]),
    "charter-invalid: The charter “?” cannot be used: It is a list, where a charter is expected.",
  ],
  [
    "layers in an object",
    () => defineCharter({ name: "a", layers: {} }),
    "charter-invalid: The charter “a” cannot be used: “layers” is not a list.",
  ],
  [
    "sections that are texts",
    () => defineCharter(layer({ name: "l", mutability: "fixed", sections: ["Be safe."] })),
    "charter-invalid: The charter “a” cannot be used: A section has no name.",
  ],
  [
    "no mutability",
    () => defineCharter(layer({ name: "l", sections: [{ name: "s", words: "w" }] })),
    'charter-invalid: The charter “a” cannot be used: “s” says nothing of who may change it; say "fixed", "live" or { amendableBy, scope }.',
  ],
  [
    "one actor without a list",
    () =>
      defineCharter(
        layer({ name: "l", mutability: { amendableBy: "agent" }, sections: [{ name: "s", original: "w" }] }),
      ),
    'charter-invalid: The charter “a” cannot be used: “s” says {"amendableBy":"agent"} of who may change it; say "fixed", "live" or { amendableBy, scope }.',
  ],
  [
    "one source without a list",
    () => defineCharter(live({ name: "s", trust: "own", sources: () => "" })),
    "charter-invalid: The charter “a” cannot be used: “s”: sources is not a list of functions.",
  ],
  [
    "sources that are texts",
    () => defineCharter(live({ name: "s", trust: "own", sources: ["text"] })),
    "charter-invalid: The charter “a” cannot be used: “s”: sources is not a list of functions.",
  ],
  [
    "a rule that is null",
    () => defineCharter({ ...charter, name: "a", givesWay: [null] }),
    "charter-invalid: The charter “a” cannot be used: “givesWay” is not a list of rules.",
  ],
]);

test("options are named one by one: what is missing, what does not fit, what is not known", () => {
  const checks: FieldChecks<{ name: string; model: unknown; size?: number }> = {
    name: [isText, "Give a name."],
    model: [laterChecked, ""],
    size: optional([isNumber, "Give a number."]),
  };
  const problemOf = (given: unknown) => {
    try {
      return checkOptions("make", given, checks);
    } catch (error) {
      return `${(error as Problem).message} ${(error as Problem).hint}`;
    }
  };
  expect(
    [
      { name: "a" },
      { name: "a", size: 1 },
      undefined,
      [],
      promise,
      {},
      { name: promise },
      { name: "a", size: "1" },
      { name: "a", sise: 1 },
    ].map(problemOf),
  ).toEqual([
    undefined,
    undefined,
    "What make was given is missing. Give make({ name, model }).",
    "What make was given is a list. Give make({ name, model }).",
    "What make was given is a promise. Await it first. Give make({ name, model }).",
    "The `name` that make was given is missing. Give a name.",
    "The `name` that make was given is a promise. Await it first. Give a name.",
    "The `size` that make was given is a text. Give a number.",
    "make takes no “sise”. It takes “name”, “model”, “size”.",
  ]);
});

test("a function that others call names itself where an argument is missing; what their own code throws stays", async () => {
  const broken = (): string => (undefined as Anything).x;
  const calls: Anything = checkedCalls("store", {
    notes: {
      save: async (scope: Anything, { text }: Anything) => `${scope.agent} ${text}`,
      change: (name: string, change: () => string) => name + change(),
      size: (all: readonly string[]) => all.map(({ length }) => length),
    },
    home: broken,
    kind: "memory",
  });
  expect([await calls.notes.save({ agent: "ada" }, { text: "x" }), calls.kind]).toEqual(["ada x", "memory"]);
  const problemOf = async (call: () => unknown) => {
    const thrown = await (async () => call())().catch((error: unknown) => error);
    return thrown instanceof Problem ? thrown.message : (thrown as Error).name;
  };
  expect(await problemOf(() => calls.notes.save())).toBe("What store.notes.save was given is missing.");
  expect(await problemOf(() => calls.notes.save({}))).toBe("Argument 2 of store.notes.save is missing.");
  expect(await problemOf(() => calls.notes.save(promise, {}))).toBe("What store.notes.save was given is a promise.");
  expect(await problemOf(() => calls.notes.size("x"))).toBe("What store.notes.size was given is a text.");
  // Whose fault it is cannot be told here: the caller's own function, or an object that may be right.
  expect(await problemOf(() => calls.notes.change("x", broken))).toBe("TypeError");
  expect(await problemOf(() => calls.notes.size({}))).toBe("TypeError");
  const others = checkedCalls("host", { ask: (_name: string, _how?: object) => broken() }, { runsOthers: true });
  expect(await problemOf(() => others.ask("x"))).toBe("TypeError");
  expect(await problemOf(() => (others as Anything).ask())).toBe("What host.ask was given is missing.");
});

test("what something is, in words", () => {
  const things = [undefined, null, 7, "a", () => 1, [], {}, promise, new Date(0), true];
  expect(things.map(kindOf)).toEqual([
    "missing",
    "null",
    "7",
    "a text",
    "a function",
    "a list",
    "an object that does not fit",
    "a promise",
    "a Date",
    "true",
  ]);
});
