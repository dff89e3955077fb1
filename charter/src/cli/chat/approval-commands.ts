import { listApprovals } from "../../operations/approvals/approvals.ts";
import { approve, reject } from "../../operations/approvals/decide.ts";
import { heldFor } from "../../operations/approvals/held.ts";
import { callCells, callColumns } from "../../operations/approvals/held-call.ts";
import { toolCells, toolColumns } from "../../operations/approvals/held-tool.ts";
import type { Fields, ValuesOf } from "../../operations/field.ts";
import type { Operation } from "../../operations/operation.ts";
import { columns } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import { output } from "./output.ts";
import type { Talk } from "./talk.ts";
import { contextOf, ran } from "./talk-operation.ts";

const nothingWaits = "Nothing is waiting for approval.";

/** What waits for a person, and what a person says to it. */
export function approvalCommands(talk: Talk, screen: Screen): SlashCommand[] {
  return [
    { name: "approvals", summary: "proposals and tool calls waiting for approval", run: () => list(talk, screen) },
    {
      name: "approve",
      usage: "[id]",
      summary: "apply the change, or let the tool run",
      run: async (words) => decide(talk, approve, { id: await idOf(talk, words, "approve"), by: talk.user }),
    },
    {
      name: "reject",
      usage: "[id [reason]]",
      summary: "refuse it",
      run: async (words) => {
        const [, given = "", reason] = /^(\S*)\s*([\s\S]*)$/.exec(words) ?? [];
        const id = await idOf(talk, given, "reject");
        return decide(talk, reject, { id, by: talk.user, reason: reason || undefined });
      },
    },
  ];
}

/** Of this agent: what is this user's, and what is everyone's. */
async function waiting(talk: Talk) {
  const { agent, user } = talk.scope;
  const here = <One extends { readonly scope: { readonly user?: string | undefined } }>(all: readonly One[]) =>
    all.filter((one) => one.scope.user === undefined || one.scope.user === user);
  const asked = { agent, status: "waiting", limit: 1000, offset: 0 } as const;
  const { proposals, calls, tools } = await ran(talk, listApprovals, asked);
  return { held: here(proposals), calls: here(calls), tools };
}

async function list(talk: Talk, screen: Screen): Promise<string[]> {
  const { held, calls, tools } = await waiting(talk);
  const proposals = held.map(({ id, section, proposal }) => [
    id,
    section,
    proposal.operation.kind,
    proposal.actor,
    proposal.reason ?? "",
  ]);
  const lines = [
    ...(held.length > 0 ? columns(["id", "section", "operation", "by", "reason"], proposals, output(screen)) : []),
    ...(calls.length > 0 ? columns(callColumns, calls.map(callCells), output(screen)) : []),
    ...(tools.length > 0 ? columns(toolColumns, tools.map(toolCells), output(screen)) : []),
  ];
  return lines.length > 0 ? [...lines, "Decide with /approve <id> or /reject <id>."] : [nothingWaits];
}

async function idOf(talk: Talk, given: string, command: string): Promise<string> {
  if (given !== "") return given;
  const { held, calls, tools } = await waiting(talk);
  const [only, ...others] = [...held, ...calls, ...tools];
  if (only && others.length === 0) return only.id;
  throw new Problem(
    "usage",
    only ? "Several are waiting for approval." : nothingWaits,
    only ? `Say which: /${command} <id>. List them with /approvals.` : "List what is waiting with /approvals.",
  );
}

/** Only what is held for this agent, and not for another user: what others have waiting is not decided in passing. */
async function decide<Input extends Fields, Answer>(
  talk: Talk,
  operation: Operation<Input, Answer>,
  input: ValuesOf<Input> & { readonly id: string },
): Promise<string[]> {
  const { id } = input;
  const { agent, user } = (await heldFor(contextOf(talk), id)).scope;
  if (agent !== talk.scope.agent || (user !== undefined && user !== talk.scope.user))
    throw new Problem(
      "usage",
      `“${id}” is held for ${user === undefined ? agent : `${user} of ${agent}`}.`,
      hintsHere(`Decide it with charter approve ${id}, or charter reject ${id}.`),
    );
  const told = operation.lines?.(await ran(talk, operation, input), input) ?? [];
  return [...("out" in told ? told.out : told)];
}
