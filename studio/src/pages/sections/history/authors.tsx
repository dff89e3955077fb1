import { useQuery } from "@tanstack/react-query";
import type { HistoryAnswer, SectionAnswer } from "charter/answers";
import { Fragment, useMemo, useState } from "react";
import { type ApiProblem, getJson } from "../../../api/request.ts";
import { Loading, Trouble } from "../../../app/page.tsx";
import { useAsked } from "../../../app/place.ts";
import type { Whose } from "../../../editor/use-amending.ts";
import { type Actor, handInk, handTint } from "../../../kit/hand.tsx";
import { LongText } from "../../../kit/text/long-text.tsx";
import { plural, timeText } from "../../../kit/words.ts";
import { type AuthoredLine, authoredLines, authorshipOf } from "./authorship.ts";
import { type Amendment, historyPath } from "./use-history.ts";

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

function Line({
  line: { pieces, newest },
  first,
  by,
  older,
}: {
  readonly line: AuthoredLine;
  readonly first: boolean;
  readonly by: ReadonlyMap<number, Amendment>;
  readonly older: boolean;
}) {
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
