import { unified } from "../../prompt/diff.ts";
import type { OutcomeAnswer } from "../proposals/outcome.ts";
import { colours, painted } from "./colour.ts";
import { oneLine } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

type PublicationOutcome = NonNullable<OutcomeAnswer["publication"]>;

/** What became of a text at the places that keep it besides the store: who took it, who did not, whose stands. */
export function publicationLines(
  { id, state, taken, missed, conflict }: PublicationOutcome,
  section: string,
): string[] {
  const paint = colours(process.stdout);
  const how = {
    published: `${paint.green("published")}: event ${id}, taken by ${taken.map(oneLine).join(", ")}`,
    waiting: hintsHere(
      `${paint.yellow("not published yet")}: event ${id} waits, and is sent again later; to try now: charter core publish`,
    ),
    superseded: conflict
      ? `${paint.red("conflict")}: event ${conflict.id} was published at the same time, and is current; yours, event ${id}, is in the history`
      : `${paint.yellow("replaced")}: a later change is current; yours, event ${id}, is in the history`,
  }[state];
  return [
    how,
    ...missed.map(({ place, reason }) => `  not on ${oneLine(place)}: ${oneLine(reason)}`),
    ...(conflict ? bothTexts(conflict, section) : []),
  ];
}

function bothTexts({ ours, theirs, id }: NonNullable<PublicationOutcome["conflict"]>, section: string): string[] {
  const [, , ...hunks] = unified(ours, theirs, section).split("\n").slice(0, -1);
  return painted([`--- ${section} (yours)`, `+++ ${section} (event ${id})`, ...hunks]);
}
