import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { optionName, wordsOf } from "../../src/cli/command/parse-command.ts";
import type { Field } from "../../src/operations/field.ts";
import { fieldsAt, type Operation, routeOf } from "../../src/operations/operation.ts";
import { partsOf } from "../../src/server/operation-routes.ts";
import { filled } from "./doors-stage.ts";

export type Input = Readonly<Record<string, unknown>>;
type Things = Readonly<Record<string, string>>;

/** Where the examples of its fields are not about something that is there. What is undefined is left out. */
const given: Readonly<Record<string, (things: Things, caller: string) => Input>> = {
  "agents.add": () => ({ name: "new" }),
  "agents.set": () => ({ label: "Front desk" }),
  "agents.remove": () => ({ agent: "old", output: "old.checkpoint" }),
  "models.test": () => ({ model: "stand-in/scripted" }),
  "tools.call": () => ({ tool: "read_memory", input: { query: "sister" } }),
  "schedules.add": () => ({ cron: "0 8 * * 1-5" }),
  "schedules.cancel": ({ schedule }) => ({ id: schedule }),
  "prompt.why": () => ({ words: "Be brief" }),
  "sections.show": () => ({ section: "instructions" }),
  "sections.try": () => ({ section: "instructions", content: "Be brief." }),
  "sections.history": () => ({ section: "instructions" }),
  "sections.propose": () => ({ section: "instructions", operation: { kind: "append", content: "- Smile." } }),
  "sections.amend": () => ({ section: "instructions", operation: "append", content: "- Smile." }),
  "sections.revert": () => ({ section: "instructions", to: 1 }),
  "sections.reset": () => ({ section: "instructions" }),
  "approvals.show": ({ held }) => ({ id: held }),
  "approvals.approve": ({ held }) => ({ id: held }),
  "approvals.reject": ({ held }) => ({ id: held, reason: "No songs." }),
  "memory.list": () => ({ query: undefined }),
  "memory.add": () => ({ text: "Bo likes green tea." }),
  "memory.update": ({ note }) => ({ id: note, text: "Ida is Bo's sister." }),
  "memory.forget": ({ note }) => ({ id: note }),
  "inbox.list": () => sol,
  "inbox.show": (_, caller) => ({ ...sol, id: message(caller, "order") }),
  "inbox.replies": () => sol,
  "inbox.post": () => ({ ...sol, sender: "bo", body: "Hello?", id: "new" }),
  "inbox.retry": () => ({ ...sol, id: "shop/dead" }),
  "inbox.retry-all": () => ({ ...sol, all: true }),
  "inbox.discard": () => ({ ...sol, id: "shop/order" }),
  "automaton.status": () => sol,
  "automaton.grant": () => ({ ...sol, micros: 5_000_000 }),
  "automaton.sleep": () => sol,
  "automaton.wake": () => sol,
  "conversations.list": () => sol,
  "conversations.show": () => ({ ...sol, counterpart: "ida" }),
  "conversations.counterparts": () => sol,
  "core.get": () => rex,
  "core.memory": () => ({ ...rex, slug: "mem/people/bo" }),
  "core.set": () => ({ ...rex, content: "You are Rex." }),
  "core.history": () => rex,
  "core.list": () => rex,
  "core.relays": () => rex,
  "core.publish": () => rex,
  "core.move": () => rex,
  "core.new": () => rex,
  "here.retain": () => ({ receipts: 1 }),
  "turns.stop": ({ turn }) => ({ id: turn }),
  "turns.show": ({ turn }) => ({ id: turn }),
  "turns.diff": ({ turn, otherTurn }) => ({ turn, other: otherTurn }),
  "sessions.compact": ({ session }) => ({ id: session }),
  "me.set": () => ({ zone: "Asia/Kolkata" }),
  "me.erase": () => ({ dryRun: true }),
  "users.show": () => ({ user: "bo" }),
  "users.create": () => ({ user: "finn" }),
  "users.set": () => ({ user: "cy", zone: "Asia/Kolkata" }),
  "users.erase": () => ({ user: "bo", agent: "eve", yes: true }),
  "invitations.create": () => ({ people: [{ user: "finn" }], whom: "finn" }),
  "invitations.revoke": ({ invitation }) => ({ id: invitation, agent: undefined }),
  "identities.remove": () => ({ user: "bo", agent: undefined }),
  "links.create": () => ({ channel: "telegram" }),
  "links.remove": () => ({ channel: "telegram", address: "chat-1" }),
  "tokens.create": () => ({ name: "new", kind: "user", agent: "ada" }),
  "tokens.revoke": ({ spare }) => ({ id: spare }),
};

/** What operators ask besides, where doors once answered each in its own way. */
const further: Readonly<Record<string, (things: Things) => readonly Input[]>> = {
  "agents.add": () => wrongSetups.map((setup) => ({ name: "new", charter: "assistant", ...setup })),
  "agents.set": () => [
    ...wrongSetups.map((setup) => ({ agent: "ada", ...setup })),
    { agent: "ada" },
    { agent: "none" },
  ],
  "schedules.add": () => [
    { agent: "ada", user: "cy", input: "Sing.", cron: "0 8 * * *" },
    { agent: "ada", user: "cy", input: "Sing.", at: "2026-12-24T09:00" },
    { agent: "ada", user: "cy", input: "Sing.", at: "2020-12-24T09:00" },
    { agent: "ada", user: "cy", input: "Sing.", cron: "nonsense" },
    {
      agent: "ada",
      input: "Sing.",
      cron: "0 8 * * *",
      zone: "Asia/Kolkata",
      missed: "skip",
      overlap: "queue",
      maxTries: 2,
    },
  ],
  "sections.propose": () => proposals.map((operation) => ({ ...instructions, operation })),
  "sections.revert": () => [
    { ...instructions, to: 99 },
    { ...instructions, to: 1, dryRun: true },
  ],
  "sections.history": () => [
    { agent: "ada", section: "soul" },
    { agent: "ada", section: "none" },
  ],
  "approvals.list": () => [{}, { agent: "ada", status: "approved" }],
  "approvals.show": ({ heldCall }) => [{ id: heldCall }, { id: "none" }],
  "approvals.approve": ({ held, heldCall }) => [
    ...[
      { id: held, dryRun: true },
      { id: held, content: "- Hum.", dryRun: true },
      { id: held, content: "- Hum." },
    ],
    ...[
      { id: held, content: "# Safety" },
      { id: held, current: true, revision: 0 },
      { id: held, current: true },
    ],
    ...[{ id: heldCall }, { id: heldCall, dryRun: true }, { id: "none" }],
  ],
  "approvals.reject": ({ heldCall }) => [{ id: heldCall }, { id: "none" }],
  "automaton.status": () => [{ agent: "ada" }, { agent: "none" }],
  "automaton.sleep": () => [
    { agent: "sol", until: "2026-02-19T08:00:00Z" },
    { agent: "sol", until: "soon" },
    { agent: "ada" },
  ],
  "automaton.grant": () => [
    { agent: "sol", micros: -1_000 },
    { agent: "sol", micros: 0 },
  ],
  "inbox.show": () => [
    { agent: "sol", id: "shop/dead" },
    { agent: "sol", id: "none" },
  ],
  "inbox.list": () => [{ agent: "sol", status: "dead" }, { agent: "ada" }],
  "memory.list": () => [
    { agent: "ada", user: "bo", query: "sister" },
    { agent: "ada", user: "bo", query: "nothing" },
  ],
  "turns.show": ({ turn, otherTurn }) => [
    ...[{ id: otherTurn }, { id: "none" }, { id: turn, parts: ["receipts", "bytes", "request", "sample"] }],
    ...[
      { id: turn, step: 1, parts: ["bytes"] },
      { id: turn, step: 9, parts: ["bytes"] },
    ],
  ],
  "prompt.show": () => [
    ...[
      { agent: "ada", user: "bo", parts: ["text", "inputs", "request"] },
      { agent: "ada", session: "none" },
    ],
    ...[{ agent: "sol" }, { agent: "ada", edition: "compact" }, { agent: "none" }],
  ],
  "prompt.why": () => [{ agent: "ada", user: "bo", words: "nowhere in it" }],
};

const instructions = { agent: "ada", user: "bo", section: "instructions" };
const proposals = [
  ...[{ kind: "rewrite", content: "# Safety" }, { kind: "revert", to: 99 }, { kind: "reset" }],
  { kind: "replace_section", content: "x", marker: "## None" },
];
const wrongSetups = [
  { model: "none/gpt" },
  { model: "gpt" },
  { settings: { mcp: ["files"] } },
  { settings: { none: 1 } },
];

const sol = { agent: "sol", user: undefined };

const rex = { agent: "rex" };

/** A token's messages are called after it, for others. */
function message(caller: string, id: string): string {
  if (caller === "signer") return "signed";
  return caller === "inbox" ? id : `shop/${id}`;
}

/** The further inputs of a row that a door has all fields of. */
export function furtherOf(row: Operation, door: "route" | "command"): readonly Input[] {
  const fields = fieldsAt(row.input, door);
  const all = further[row.name]?.(filled.things) ?? [];
  return all.filter((input) => Object.keys(input).every((name) => Object.hasOwn(fields, name)));
}

/** Rows that are named here and are no more. */
export function leftOver(rows: readonly Operation[]): string[] {
  const names = new Set(rows.map(({ name }) => name));
  return [...Object.keys(given), ...Object.keys(further)].filter((name) => !names.has(name));
}

/** What a row is asked with at a door: its fields' examples where they are needed, and what is given by hand. */
export function inputOf(row: Operation, caller: string, door: "route" | "command"): Input {
  const fields = fieldsAt(row.input, door);
  const needed = Object.entries(fields).filter(([name, { more }]) => isNeeded(name, more));
  const examples = Object.fromEntries(needed.map(([name, { more }]) => [name, row.example?.[name] ?? more.example]));
  const all = { ...examples, ...given[row.name]?.(filled.things, caller) };
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== undefined && Object.hasOwn(fields, name)),
  );
}

/** Whose it is is said wherever it can be: most of the state is Bo's, with “ada”. */
function isNeeded(name: string, { isOptional, usual }: Field<unknown>["more"]): boolean {
  return name === "agent" || name === "user" || (!isOptional && usual === undefined);
}

/** The request of a route. */
export function requestOf(row: Operation, input: Input, base: string): Request {
  const { method, path } = routeOf(row.route as string);
  const parts = partsOf(row);
  const only = (names: object) => Object.entries(input).filter(([name]) => Object.hasOwn(names, name));
  const asked = new URLSearchParams(only(parts.query).map(([name, value]): [string, string] => [name, String(value)]));
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const body = parts.body && Object.fromEntries(only(parts.body.fields));
  return new Request(`${base}${filledPath}${asked.size > 0 ? `?${asked}` : ""}`, {
    method,
    headers: body ? { "content-type": "application/json" } : {},
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** The words of a command that say the same. */
export function argsOf(row: Operation, input: Input): string[] {
  const words = wordsOf(row);
  const typed = words.flatMap((word) =>
    "literal" in word ? [word.literal] : input[word.field] === undefined ? [] : [String(input[word.field])],
  );
  const named = new Set(words.flatMap((word) => ("field" in word ? [word.field] : [])));
  const others = Object.entries(input).filter(([name]) => !named.has(name));
  return [...typed, ...others.flatMap(([name, value]) => optionOf(name, row.input[name] as Field<unknown>, value))];
}

function optionOf(name: string, { kind, more }: Field<unknown>, value: unknown): string[] {
  const option = `--${optionName(name)}`;
  if (kind.is === "flag") return value === true ? [option] : [];
  if (Array.isArray(value)) return value.flatMap((one) => [option, String(one)]);
  const words = typeof value === "object" ? JSON.stringify(value) : String(value);
  return [option, more.isFile ? fileOf(words) : words];
}

function fileOf(words: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "charter-given-")), "given.json");
  writeFileSync(path, words);
  return path;
}
