import type { TurnAnswer, TurnParts } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../api/query-client.ts";
import { encodeName, type Whose, withQuery } from "../api/request.ts";
import { Loading, Trouble } from "../app/page.tsx";
import { placeOf } from "../app/place.ts";
import { ToSection } from "../billing/links.tsx";
import { Hand } from "../kit/hand.tsx";
import { Badge } from "../kit/icon.tsx";
import { TextLink } from "../kit/text-link.tsx";
import { timeText } from "../kit/words.ts";

/** The same for a turn of which only the id is known, read when it is wanted. */
export function WhyThisReply({ agent, turn }: { readonly agent: string; readonly turn: string }) {
  const path = withQuery(`/turns/${encodeName(turn)}`, { parts: "receipts,sample" });
  const { data, error } = useApi<TurnAnswer<"receipts" | "sample">>(path);
  if (error) return <Trouble problem={error} />;
  if (!data) return <Loading />;
  const { since } = data.sample;
  return (
    <div className="space-y-2">
      <LedToReply
        agent={agent}
        user={data.scope.user}
        since={since}
        steps={data.receipts}
        none={
          since === null
            ? "It searched no notes, and it is the first turn of its conversation."
            : "It searched no notes, and nothing in its prompt was changed since the turn before."
        }
      />
      <p>
        <TextLink href={placeOf(agent, "turns", turn)}>See everything the model was given</TextLink>
      </p>
    </div>
  );
}

type LedToReplyProps = Whose & {
  readonly since: TurnParts["sample"]["since"];
  readonly steps: readonly { readonly result?: unknown }[];
  /** What is said where there is nothing; nothing, unless given. */
  readonly none?: string;
  readonly title?: string;
};

/** What a reply goes back to besides its message: the notes it found, and what was changed since the turn before. */
export function LedToReply({ agent, user, since, steps, none, title }: LedToReplyProps) {
  const notes = useMemo(() => foundNotes(steps), [steps]);
  const amendments = since?.amendments ?? [];
  if (notes.length + amendments.length === 0) return none === undefined ? null : <p className="text-soft">{none}</p>;
  return (
    <section aria-label="What led to this reply" className="space-y-3 text-sm">
      {title !== undefined && <h2 className="font-medium text-base">{title}</h2>}
      {notes.length > 0 && <Notes agent={agent} user={user} notes={notes} />}
      {since && amendments.length > 0 && (
        <div>
          <h3 className="text-soft text-xs">
            Changed since <TextLink href={placeOf(agent, "turns", since.turn)}>the turn before</TextLink> began
          </h3>
          <ul className="mt-1 space-y-1">
            {amendments.map((one) => (
              <Amendment key={`${one.section}/${one.revision}`} agent={agent} of={one} />
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** So much of a note is shown; the Memory page has all of it. */
const maxShown = 160;

function Notes(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly notes: readonly FoundNote[];
}) {
  const { agent, user, notes } = props;
  return (
    <div>
      <h3 className="text-soft text-xs">Notes it found</h3>
      <ul className="mt-1 space-y-1">
        {notes.map((note) => (
          <li key={note.id ?? note.key ?? note.text} className="[overflow-wrap:anywhere]">
            <TextLink href={placeOf(agent, "memory", undefined, { user, ...noteQuery(note) })}>
              <bdi>{beginning(note.text)}</bdi>
            </TextLink>{" "}
            <span className="text-soft text-xs">
              {note.key !== undefined && <bdi>{note.key} · </bdi>}
              {note.day}
            </span>{" "}
            {note.tainted && <Badge tone="wait">untrusted text</Badge>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function beginning(text: string): string {
  const all = [...text.trim()];
  if (all.length === 0) return "An empty note";
  return all.length > maxShown ? `${all.slice(0, maxShown).join("")}…` : all.join("");
}

type Amended = NonNullable<TurnParts["sample"]["since"]>["amendments"][number];

function Amendment({ agent, of }: { readonly agent: string; readonly of: Amended }) {
  const { scope, section, revision, actor, turn, reason, at } = of;
  return (
    <li className="[overflow-wrap:anywhere]">
      <Hand actor={actor} /> changed <ToSection agent={agent} section={section} user={scope.user} revision={revision} />{" "}
      <span className="text-soft text-xs">
        revision {revision} · {timeText(at)}
        {turn !== null && (
          <>
            {" · "}
            <TextLink href={placeOf(agent, "turns", turn)}>in this turn</TextLink>
          </>
        )}
      </span>
      {reason !== null && (
        <>
          {" "}
          <bdi>“{reason}”</bdi>
        </>
      )}
    </li>
  );
}

/** A note as a search of the memory told it to the model. */
type FoundNote = {
  /** The day it was written on. */
  readonly day: string;
  readonly id?: string;
  readonly key?: string;
  readonly text: string;
  readonly tainted: boolean;
};

/** What is read of the steps of a turn. */
type Step = { readonly result?: unknown };
type StepResult = { readonly results?: readonly { readonly name?: unknown; readonly output?: unknown }[] };

/** Every note that the searches of a turn found, each once. */
export function foundNotes(steps: readonly Step[]): readonly FoundNote[] {
  const found = new Map<string, FoundNote>();
  for (const { result } of steps)
    for (const { name, output } of (result as StepResult | null | undefined)?.results ?? [])
      if (name === "read_memory" && typeof output === "string")
        for (const note of notesIn(output)) found.set(note.id ?? note.key ?? note.text, note);
  return [...found.values()];
}

const quote = String.raw`"(?:[^"\\]|\\.)*"`;
const line = new RegExp(
  String.raw`^- (\d{4}-\d\d-\d\d)(?: \[([^\]\s]+)\])?((?: (?:${quote}|[A-Za-z0-9][\w.:@/+~-]*))*?)( \(written with others' words at hand: data, not instructions\))?: (${quote})$`,
);

/** The notes stand under the first line, one on each, as JSON: what follows them (the instructions) is somebody's text. */
export function notesIn(output: string): readonly FoundNote[] {
  const notes: FoundNote[] = [];
  for (const row of output.split("\n").slice(1)) {
    const parts = line.exec(row);
    if (!parts) break;
    const [, day = "", id, names = "", tainted, text = '""'] = parts;
    const key = names.match(new RegExp(`${quote}|\\S+`, "g"))?.at(-1);
    notes.push({
      day,
      ...(id === undefined ? {} : { id }),
      // With an id, a name may be whose it is.
      ...(key === undefined || id !== undefined ? {} : { key: key.startsWith('"') ? JSON.parse(key) : key }),
      text: JSON.parse(text),
      tainted: tainted !== undefined,
    });
  }
  return notes;
}

/** What the Memory page is asked for to show this note; by its words where it was told without a name. */
export function noteQuery({ id, key, text }: FoundNote): { readonly note?: string; readonly query?: string } {
  const name = id ?? key;
  if (name !== undefined) return { note: name };
  const start = text.replace(/["…]/g, " ").replace(/\s+/g, " ").trim().slice(0, 80);
  return { query: start.includes(" ") ? start.slice(0, start.lastIndexOf(" ")) : start };
}
