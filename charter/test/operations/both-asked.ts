import { expect } from "vitest";
import { type Operation, routeOf } from "../../src/operations/operation.ts";
import { allOperations } from "../../src/operations/operations.ts";
import { toldPart } from "../../src/operations/read-input.ts";
import { statusFor } from "../../src/server/http/error.ts";
import { usualStatus } from "../../src/server/operation-routes.ts";
import { alike } from "./alike.ts";
import { askCommand, askHttp, askLibrary, askMcp, callerOf, type Outcome } from "./ask-doors.ts";
import { type Copy, copyNow, dropCopy } from "./doors-stage.ts";
import { type Input, inputOf } from "./row-input.ts";

export const rows: readonly Operation[] = allOperations;

export type Door = "HTTP" | "command" | "MCP";

/** What a process keeps for itself is read by no other. */
const unread = new Set(["models.list"]);
/** Commands that answer in a way of their own, for what they do with files: only what came of them is compared. */
const ownAnswers = new Set(["agents.remove"]);

/** Commands that ask first: for the user, where there are several; for the agent, before what is to be set. */
const asksFirst = new Map([
  ["prompt.show", "needs-user"],
  ["agents.set", "unknown-agent"],
]);

/** Commands that read what they are given from other words, or from a file; the row is asked as its route is. */
const ownInputs = new Set(["invitations.create"]);

/** Asks a row and one of its doors, each over the same state; gives what the row itself came to. */
export async function expectAlike(row: Operation, door: Door, caller: string, given?: Input): Promise<Outcome> {
  const fields = door === "command" ? "command" : "route";
  const input = given ?? inputOf(row, caller, fields);
  const first = await copyNow();
  const asker =
    door === "command" ? ({ kind: "operator", by: "command", id: "command" } as const) : await callerOf(first, caller);
  const isModel = door === "MCP";
  const own = isModel && asker.kind === "user" ? { user: asker.user, ...(asker.agent && { agent: asker.agent }) } : {};
  const asked =
    door === "command" && ownInputs.has(row.name)
      ? ({ input: inputOf(row, caller, "route"), door: "route" } as const)
      : ({ input: { ...input, ...own }, door: fields } as const);
  const raw = await askLibrary(first, row, { caller: asker, isModel, ...asked });
  const wanted = { ...expectedAt(door, row, raw, { caller, input }), after: await readAfter(row, first, raw) };
  const second = await copyNow();
  const outcome = await askAt(door, second, row, { caller, input });
  const after = await readAfter(row, second, raw);
  if (outcome.refused === undefined && raw.refused !== undefined) await dropCopy();
  if (door === "command" && outcome.refused !== undefined && outcome.refused === asksFirst.get(row.name)) return raw;
  const told = door === "command" && ownAnswers.has(row.name) ? { ...outcome, answer: wanted.answer } : outcome;
  expect(about(row, door, caller, input, { ...alike(told), after })).toEqual(about(row, door, caller, input, wanted));
  return raw;
}

/** A difference says where it was found. */
function about(row: Operation, door: Door, caller: string, input: Input, came: object) {
  return { row: row.name, door, caller, input: JSON.stringify(input), ...came };
}

type Asked = { readonly caller: string; readonly input: Input };

function askAt(door: Door, copy: Copy, row: Operation, { caller, input }: Asked): Promise<Outcome> {
  if (door === "command") return askCommand(copy, row, input);
  return door === "HTTP" ? askHttp(copy, row, caller, input) : askMcp(copy, row, caller, input);
}

/** What a door makes of what a row came to. */
function expectedAt(door: Door, row: Operation, { refused, answer }: Outcome, { caller, input }: Asked): Outcome {
  if (door === "MCP") return alike(refused === undefined ? { answer } : { refused });
  if (refused !== undefined) {
    const kind = caller === "operator" ? "operator" : "user";
    return { refused, status: door === "command" ? 2 : statusFor({ kind }, refused) };
  }
  if (door === "command") {
    // Where a command prints in a way of its own, it has exit codes of its own.
    if (!row.lines) return { ...alike({ answer }), status: expect.any(Number) };
    const printed = row.lines(answer, input);
    return alike({ answer, status: "out" in printed ? (printed.code ?? 0) : 0 });
  }
  const { status, body = answer } = row.wire?.(answer) ?? { status: usualStatus(row) };
  const { error } = (body ?? {}) as { readonly error?: { readonly code: string } };
  if (error) return { refused: error.code, status };
  return alike({ status, answer: caller === "chat" ? toldPart(row.answer, body) : body });
}

/** What the lists and pages of the same subject say then; nothing where nothing was changed. */
async function readAfter(row: Operation, copy: Copy, { refused }: Outcome): Promise<unknown> {
  if (isRead(row) || refused !== undefined) return undefined;
  const [subject] = row.name.split(".");
  const reads = rows.filter((one) => isRead(one) && one.name.startsWith(`${subject}.`) && !unread.has(one.name));
  const all: Record<string, unknown> = {};
  for (const one of reads) {
    const caller = { kind: "operator", by: "token", id: "after" } as const;
    const input = inputOf(one, "operator", "route");
    all[one.name] = alike(await askLibrary(copy, one, { caller, input, door: "route" }));
  }
  await dropCopy();
  return all;
}

function isRead({ route, run }: Operation): boolean {
  return run !== undefined && route !== undefined && routeOf(route).method === "GET";
}
