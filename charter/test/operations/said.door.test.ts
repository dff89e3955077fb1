import { expect, test } from "vitest";
import type { Fields } from "../../src/operations/field.ts";
import { fieldsAt } from "../../src/operations/operation.ts";
import { findLandings } from "../store/strays.ts";
import { askCommand, askHttp } from "./ask-doors.ts";
import { rows } from "./both-asked.ts";
import { copyNow, dropCopy, stageDoors } from "./doors-stage.ts";
import { furtherOf, type Input, inputOf } from "./row-input.ts";

stageDoors();

/** What people choose as names is kept as such, in these columns; all else that they say is kept as their words. */
const whose = ["user_id", "owner", "id", "sender"];
const names: Readonly<Record<string, readonly string[]>> = {
  user: whose,
  whom: whose,
  "people[].user": whose,
  "inbox.post sender": whose,
  "inbox.post id": ["id"],
  "agents.add name": ["name", "agent"],
  turn: ["turn"],
  channel: ["channel"],
  by: ["decided_by"],
};

let count = 0;
const newWord = () => `canary${++count}x`;

type Spoken = { readonly field: string; readonly word: string; readonly input: Input };

/** The input with a word of its own in one place, for each place that a text can stand in. */
function* spoken(fields: Fields, input: Input): Generator<Spoken> {
  for (const [name, { kind }] of Object.entries(fields)) {
    const value = input[name] ?? (kind.is === "text" ? "" : undefined);
    for (const { path, word, changed } of within(value))
      yield { field: `${name}${path}`, word, input: { ...input, [name]: changed } };
  }
}

function* within(
  value: unknown,
): Generator<{ readonly path: string; readonly word: string; readonly changed: unknown }> {
  if (typeof value === "string") {
    const word = newWord();
    yield { path: "", word, changed: word };
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const { path, word, changed } of within(item))
        yield { path: `[]${path}`, word, changed: value.with(at, changed) };
  } else if (typeof value === "object" && value !== null)
    for (const [name, item] of Object.entries(value))
      for (const { path, word, changed } of within(item))
        yield { path: `.${name}${path}`, word, changed: { ...value, [name]: changed } };
}

const callers = { route: ["operator", "user", "agent", "inbox", "chat"], command: ["operator"] } as const;
const asking = (["route", "command"] as const).flatMap((door) =>
  rows
    .filter((row) => row.run !== undefined && row[door] !== undefined)
    .flatMap((row) => callers[door].map((caller) => ({ door, row, caller }))),
);

test("what is said to any operation, by HTTP or a command, is kept as someone's words, and nowhere else", async () => {
  let requests = 0;
  const kept = new Set<string>();
  const strays = new Set<string>();
  for (const { door, row, caller } of asking)
    for (const input of [inputOf(row, caller, door), ...(caller === "operator" ? furtherOf(row, door) : [])])
      for (const { field, word, input: given } of spoken(fieldsAt(row.input, door), input)) {
        const copy = await copyNow();
        const { refused } = await (door === "route" ? askHttp(copy, row, caller, given) : askCommand(copy, row, given));
        requests += 1;
        const found = await findLandings(copy.store, new RegExp(word));
        for (const place of found.said) kept.add(place);
        const may = names[field] ?? names[`${row.name} ${field}`] ?? [];
        for (const place of found.strays)
          if (!may.includes(place.split(".")[1] as string)) strays.add(`${row.name} ${field}: ${place}`);
        if (refused === undefined || found.said.size + found.strays.size > 0) await dropCopy();
      }
  console.log(`${requests} requests; words were kept in ${kept.size} columns that are for words.`);
  expect([...strays]).toEqual([]);
  expect(requests).toBeGreaterThan(1000);
  expect(kept.size).toBeGreaterThan(15);
});
