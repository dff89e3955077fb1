import { approve, listApprovals, reject } from "../../operations/approvals/approvals.ts";
import { callCells, callColumns, heldFor, toolCells, toolColumns } from "../../operations/approvals/held.ts";
import type { Fields, ValuesOf } from "../../operations/field.ts";
import type { Operation } from "../../operations/operation.ts";
import { columns } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { verdictText } from "../../operations/print/verdict.ts";
import { findSection, sectionMutability } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import type { RecordedAmendment } from "../../store/amendments/amendments.ts";
import { amendableSections, sectionScope } from "../../store/scope.ts";
import type { SlashCommand } from "../terminal/conversation.ts";
import { output, type Screen } from "../terminal/screen.ts";
import { contextOf, ran, type Talk } from "./talk.ts";

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

/** The last amendment the session made is taken back, by an amendment like any other. */
export function undoCommand(talk: Talk): SlashCommand {
  /** What was taken back here: asking once more goes one further back. */
  const undone = new Set<string>();
  const nameOf = ({ section, revision }: RecordedAmendment) => `${section}/${revision}`;
  return {
    name: "undo",
    summary: "revert the session's last amendment",
    run: async () => {
      for (const one of await undoableAmendments(talk)) {
        if (undone.has(nameOf(one.amendment))) continue;
        if (!one.stands && !one.over) continue;
        if (one.over) return changedSince(talk, one.amendment, one.over);
        const { lines, gone } = await revertAmendment(talk, one.amendment);
        if (gone) undone.add(nameOf(one.amendment));
        return lines;
      }
      return ["This session has made no amendment that is still in effect."];
    },
  };
}

type UndoableAmendment = {
  readonly amendment: RecordedAmendment;
  /** The section's words are still those it made. */
  readonly stands: boolean;
  /** What someone else made of them since, other than going back. */
  readonly over: RecordedAmendment | undefined;
};

/** The amendments of the session's turns, newest first. */
async function undoableAmendments({ store, scope, session, declaredTurn }: Talk): Promise<UndoableAmendment[]> {
  const id = session();
  if (id === undefined) return [];
  const turns = new Set(
    (await store.sessions.history(id)).filter(({ told, before }) => !told && !before).map((turn) => turn.id),
  );
  const isOurs = ({ turn }: RecordedAmendment) => turn !== null && turns.has(turn);
  const goesBack = ({ operation }: RecordedAmendment) => operation === "revert" || operation === "reset";
  const { charter } = await declaredTurn();
  const all: UndoableAmendment[] = [];
  for (const section of amendableSections(charter)) {
    const amendments = await store.history.listWhole(sectionScope(section, scope), section.name, { limit: 100 });
    const words = amendments[0]?.after;
    amendments.forEach((amendment, index) => {
      if (!isOurs(amendment)) return;
      const stands = amendment.after === words;
      const over = amendments.slice(0, index).find((one) => !isOurs(one) && !goesBack(one));
      all.push({ amendment, stands, over: stands ? undefined : over });
    });
  }
  return all.sort((one, other) => (one.amendment.at < other.amendment.at ? 1 : -1));
}

/** By the user's hand where the section is theirs to change, else by the operator's: whoever sits here is a person. */
async function revertAmendment(
  { store, host, scope, channel, declaredTurn: load }: Talk,
  { section: name, revision }: RecordedAmendment,
) {
  const { section, layer } = findSection((await load()).charter, name);
  const mutability = sectionMutability(section, layer);
  const actor = typeof mutability === "object" && mutability.amendableBy.includes("user") ? "user" : "operator";
  const outcome = await store.propose(await host().amendmentContext({ ...scope, channel }), {
    section: name,
    operation: { kind: "revert", to: revision - 1 },
    actor,
    reason: "undone in the terminal",
  });
  const gone = outcome.verdict === "accepted" || outcome.verdict === "unchanged";
  return { lines: verdictText(outcome, name).trimEnd().split("\n"), gone };
}

function changedSince({ scope }: Talk, { section, revision }: RecordedAmendment, over: RecordedAmendment): string[] {
  const by = `revision ${over.revision}, ${over.operation} by the ${over.actor}`;
  return [
    `“${section}” has changed since this session amended it: ${by}.`,
    hintsHere(
      `To go back all the same: charter revert ${section} --to ${revision - 1} --agent ${scope.agent} --user ${scope.user}`,
    ),
  ];
}
