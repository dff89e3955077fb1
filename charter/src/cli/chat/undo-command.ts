import { hintsHere } from "../../operations/print/command-name.ts";
import { verdictText } from "../../operations/print/verdict.ts";
import { findSection, sectionMutability } from "../../prompt/charter.ts";
import type { RecordedAmendment } from "../../store/amendments/amendments.ts";
import { amendableSections, sectionScope } from "../../store/scope.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import type { Talk } from "./talk.ts";

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
