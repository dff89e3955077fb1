import { isPermission } from "../../agent/turn/acting/permission.ts";
import { amendmentContextFor } from "../../host/amendment-context.ts";
import { findHeld, scopeOf } from "../../host/decide.ts";
import { Problem } from "../../prompt/problem.ts";
import { isStale } from "../../store/amendments/stale-outcome.ts";
import { columns } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { callCells, callColumns, callName, whenItRuns } from "../print/held-call.ts";
import { toolCells, toolColumns, toolsText } from "../print/held-tool.ts";
import { staleReport } from "../print/stale.ts";
import { verdictText } from "../print/verdict.ts";
import { roomOf } from "../shared/room.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import { output } from "./output.ts";
import type { Talk } from "./talk.ts";

const nothingWaits = "Nothing is waiting for approval.";

/** What waits for a person, and what a person says to it. */
export function approvalCommands(talk: Talk, screen: Screen): SlashCommand[] {
  return [
    { name: "approvals", summary: "proposals and tool calls waiting for approval", run: () => list(talk, screen) },
    {
      name: "approve",
      usage: "[id]",
      summary: "apply the change, or let the tool run",
      run: async (words) => approve(talk, screen, await idOf(talk, words, "approve")),
    },
    {
      name: "reject",
      usage: "[id [reason]]",
      summary: "refuse it",
      run: async (words) => {
        const [, id = "", reason] = /^(\S*)\s*([\s\S]*)$/.exec(words) ?? [];
        return reject(talk, await idOf(talk, id, "reject"), reason || undefined);
      },
    },
  ];
}

/** Of this agent: what is this user's, and what is everyone's. */
async function waiting({ store, scope }: Talk) {
  const here = <One extends { readonly scope: { readonly user?: string } }>(all: readonly One[]) =>
    all.filter((one) => one.scope.user === undefined || one.scope.user === scope.user);
  const page = { agent: scope.agent, limit: 1000 };
  const tools = await store.pins.list({ ...page, status: "waiting" });
  return { held: here(await store.held.list(page)), calls: here(await store.calls.list(page)), tools };
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

/** Held for this agent, and not for another user: what others have waiting is not decided in passing. */
async function heldHere({ store, scope }: Talk, id: string) {
  const found = await findHeld(store, id);
  const { agent, user } = scopeOf(found);
  if (agent === scope.agent && (user === undefined || user === scope.user)) return found;
  throw new Problem(
    "usage",
    `“${id}” is held for ${user === undefined ? agent : `${user} of ${agent}`}.`,
    hintsHere(`Decide it with charter approve ${id}, or charter reject ${id}.`),
  );
}

async function approve(talk: Talk, { paint }: Screen, id: string): Promise<string[]> {
  const { store, user } = talk;
  const { proposal, call, tool } = await heldHere(talk, id);
  if (tool) {
    await store.pins.approve(id, user);
    return [`${paint.green("approved")}: ${toolsText(tool)} offered from the next turn on.`];
  }
  if (call) {
    const approved = await store.calls.approve(id, user);
    return [`${paint.green("approved")}: ${callName(call)}; ${whenItRuns(approved)}.`];
  }
  const declaredTurn = await talk.declaredTurn();
  const context = await amendmentContextFor(
    { declaredTurn, scope: proposal.scope },
    await roomOf(declaredTurn, {}, false),
  );
  const outcome = { ...(await store.held.approve(id, user, context)), held: id };
  const told = isStale(outcome) ? staleReport(outcome, proposal) : verdictText(outcome, proposal.section);
  return told.trimEnd().split("\n");
}

async function reject(talk: Talk, id: string, reason: string | undefined): Promise<string[]> {
  const { store, user } = talk;
  const { call, tool } = await heldHere(talk, id);
  if (tool) {
    await store.pins.reject(id, user, reason);
    return [`rejected: ${toolsText(tool)} not offered as described now.`];
  }
  if (call) {
    await store.calls.reject(id, user, reason);
    return [`rejected: ${callName(call)} is not ${isPermission(call) ? "given" : "run"}.`];
  }
  const { section } = await store.held.reject(id, user, reason);
  return [`rejected: “${section}” stays as it is.`];
}
