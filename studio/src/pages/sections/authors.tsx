import { useQuery } from "@tanstack/react-query";
import { type AuthoredSpan, blame } from "charter";
import type { HistoryAnswer, SectionAnswer } from "charter/answers";
import { Fragment, useMemo, useState } from "react";
import { type ApiProblem, getJson, type Whose } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { useAsked } from "../../app/place.ts";
import { type Actor, handInk, handTint } from "../../kit/hand.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { plural, timeText } from "../../kit/words.ts";
import { type Amendment, historyPath } from "./history.tsx";

/** So much of a long history is read to tell who wrote what. */
const maxPages = 5;
const maxLines = 400;

/** Who wrote which words: the standing words, each in its author's colour, with the revision in the margin. */
export default function Authors({ whose, section }: { readonly whose: Whose; readonly section: SectionAnswer }) {
  const { data, error, refetch } = useQuery<readonly Amendment[], ApiProblem>({
    queryKey: ["api", "authors", whose.agent, whose.user, section.name],
    queryFn: async ({ signal }) => {
      const all: Amendment[] = [];
      for (let page = 0, more = true; more && page < maxPages; page++) {
        const before = all.at(-1)?.revision;
        const answer = await getJson<HistoryAnswer>(historyPath(whose, section.name, { limit: 100, before }), signal);
        all.push(...answer.amendments);
        more = answer.more;
      }
      return all;
    },
  });
  const authorship = useMemo(() => data && authorshipOf(section.text ?? "", data), [data, section.text]);
  const lines = useMemo(() => authorship && authoredLines(authorship), [authorship]);
  const [all, setAll] = useState(false);
  if (error) return <Trouble problem={error} again={refetch} />;
  if (!data || !authorship || !lines) return <Loading />;
  const by = new Map(data.map((amendment) => [amendment.revision, amendment]));
  const shown = all ? lines : lines.slice(0, maxLines);
  return (
    <div className="py-2 font-mono text-[0.9rem] leading-6">
      {shown.map((line, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place.
          key={index}
          line={line}
          first={shown[index - 1]?.newest !== line.newest}
          by={by}
          older={authorship.from > 0 && line.newest === authorship.from}
        />
      ))}
      {shown.length < lines.length && (
        <button type="button" className="px-3 font-sans text-accent text-sm underline" onClick={() => setAll(true)}>
          Show {plural(lines.length - shown.length, "more line")}
        </button>
      )}
      <p className="mt-2 border-line border-t px-3 pt-1.5 font-sans text-soft text-xs">
        The current text, coloured by the revision that wrote it. The margin names the newest revision in each line;
        click it to see it in the history.
      </p>
    </div>
  );
}

const longLine = 3_000;

type LineProps = {
  readonly line: AuthoredLine;
  readonly first: boolean;
  readonly by: ReadonlyMap<number, Amendment>;
  readonly older: boolean;
};

function Line({ line: { pieces, newest }, first, by, older }: LineProps) {
  const [, setAsked] = useAsked();
  const author = by.get(newest);
  return (
    <div className="flex">
      <span className="w-24 shrink-0 px-3 font-sans text-xs leading-6 sm:w-36">
        {first &&
          (newest === 0 ? (
            <span className="text-soft">original</span>
          ) : (
            <button
              type="button"
              title={author && said(author)}
              onClick={() => setAsked({ revision: String(newest) })}
              className={`block max-w-full truncate underline ${author ? handInk[author.actor] : "text-soft"}`}
            >
              r{newest}
              {older && " or older"}
              {author && ` · ${author.actor}`}
            </button>
          ))}
      </span>
      <span dir="auto" className="min-w-0 flex-1 whitespace-pre-wrap pr-3 [overflow-wrap:anywhere]">
        {pieces.length === 0 && "\u200b"}
        {pieces.map(({ text, revision }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Fragment key={index}>
            <Words text={text} author={by.get(revision)} />
          </Fragment>
        ))}
      </span>
    </div>
  );
}

function Words({ text, author }: { readonly text: string; readonly author: Amendment | undefined }) {
  const words = text.length > longLine ? <LongText text={text} max={longLine} /> : text;
  if (!author) return words;
  return (
    <span title={said(author)} className={`rounded-xs ${handTint[author.actor as Actor]}`}>
      {words}
    </span>
  );
}

function said({ revision, actor, at, reason }: Amendment): string {
  return `Revision ${revision}, by the ${actor}, ${timeText(at)}${reason ? `: ${reason}` : ""}`;
}

export type Step = { readonly revision: number; readonly before: string | null; readonly after: string | null };

/** Who wrote what, and whether the revision it begins with wrote its words itself or only handed them on. */
export type Authorship = {
  readonly text: string;
  readonly authored: readonly AuthoredSpan[];
  /** Words of this revision may be older: before it nothing is known. 0 is the original, which is not older than itself. */
  readonly from: number;
};

/** Whose words they are, out of the history, newest first, as far as it is known: it may be cut, and words erased. */
export function authorshipOf(text: string, newestFirst: readonly Step[]): Authorship {
  const erased = newestFirst.findIndex(({ after }) => after === null);
  const known = (erased === -1 ? newestFirst : newestFirst.slice(0, erased)).toReversed();
  const [first, ...rest] = known as readonly { revision: number; before: string | null; after: string }[];
  if (!first)
    return { text, authored: whole(text, newestFirst[0]?.revision ?? 0), from: newestFirst[0]?.revision ?? 0 };
  const ground =
    first.before === null
      ? { text: first.after, revision: first.revision }
      : { text: first.before, revision: first.revision - 1 };
  const authored = blame(ground, first.before === null ? rest : [first, ...rest]);
  // What stands may be an earlier revision's words, where the newest were found damaged.
  const same = (known.at(-1)?.after ?? "") === text;
  return same
    ? { text, authored, from: ground.revision }
    : { text, authored: whole(text, newestFirst[0]?.revision ?? 0), from: newestFirst[0]?.revision ?? 0 };
}

function whole({ length }: string, revision: number): AuthoredSpan[] {
  return length === 0 ? [] : [{ start: 0, end: length, revision }];
}

export type AuthoredPiece = { readonly text: string; readonly revision: number };
export type AuthoredLine = {
  readonly pieces: readonly AuthoredPiece[];
  /** The newest revision with a word in the line: it stands in the margin. */
  readonly newest: number;
};

/** The words line by line, each line as stretches of one revision's. */
export function authoredLines({ text, authored }: Authorship): readonly AuthoredLine[] {
  const lines: AuthoredLine[] = [];
  let index = 0;
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    const pieces: AuthoredPiece[] = [];
    while ((authored[index]?.end ?? Number.POSITIVE_INFINITY) <= start) index++;
    for (let at = index; at < authored.length && (authored[at]?.start ?? 0) < end; at++) {
      const one = authored[at] as AuthoredSpan;
      const words = text.slice(Math.max(start, one.start), Math.min(end, one.end));
      if (words !== "") pieces.push({ text: words, revision: one.revision });
    }
    const empty = authored[index]?.revision ?? lines.at(-1)?.newest ?? 0;
    lines.push({ pieces, newest: pieces.length === 0 ? empty : Math.max(...pieces.map(({ revision }) => revision)) });
    start = end + 1;
  }
  return lines;
}
