import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { useLatestChange } from "../../cause/latest-change.ts";
import { count, exactness, plural } from "../../kit/words.ts";
import { Strata } from "../../strata/strata.tsx";
import { type Landed, landed } from "./landed.ts";
import { type Picture, useNextPicture } from "./next-picture.ts";
import type { Whom } from "./talk.ts";

type NextPromptProps = Whom & {
  /** The conversation that is shown; undefined: the one that what is said next belongs to. */
  readonly session: string | undefined;
  /** What is said next begins a new one. */
  readonly isNew: boolean;
};

/** The prompt the next turn would have, in the conversation that is shown: what was just amended is seen to land. */
export function NextPrompt({ agent, user, session, isNew }: NextPromptProps) {
  const { picture, problem } = useNextPicture({ agent, user, session, isNew });
  const [, go] = useLocation();
  const [around, height] = useHeight();
  const news = useNews(picture);
  const latest = useLatestChange(agent, user);
  return (
    <div className="flex h-full min-h-0 flex-col p-4">
      <div className="mb-3 flex items-baseline justify-between gap-2">
        <h2 className="font-medium text-sm">The next prompt</h2>
        <Link
          href={placeOf(agent, "prompt", undefined, {
            ...{ user, channel: "web", session },
            show: picture?.kind === "new" ? "new" : undefined,
          })}
          className="text-accent text-xs underline"
        >
          in Prompt
        </Link>
      </div>
      {problem && <Trouble problem={problem} />}
      {!problem && !picture && <Loading />}
      <div ref={around} className="min-h-0 flex-1">
        {picture && height > 0 && (
          <Strata
            strata={picture.strata}
            height={height}
            label={`The next prompt: ${plural(picture.tokens, "token")} in ${plural(picture.strata.length, "section")}`}
            cache={picture.cache}
            selected={news[0]?.name}
            news={latest && { name: latest.section, words: latest.lines ?? "changed" }}
            onSelect={(section) => go(placeOf(agent, "sections", section, { user }))}
          />
        )}
      </div>
      {picture && (
        <div className="mt-3 space-y-0.5 text-soft text-xs" role="status">
          <p>
            {picture.kind === "now" ? "In this conversation: " : "With the first message: "}
            {plural(picture.tokens, "token")} {exactness(picture)}
            {picture.kind === "now" && `; ${count(picture.whole)} with tools and history`}
          </p>
          {news.map((one) => (
            <p key={one.name} className="text-ink [overflow-wrap:anywhere]">
              {newsText(one)}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

function newsText({ name, revision, tokens, isUpdate }: Landed): string {
  if (isUpdate) return `“${name}” is at revision ${revision}: sent as an update of ${plural(tokens, "token")}.`;
  const by = tokens === 0 ? "same length" : `${tokens > 0 ? "+" : "−"}${count(Math.abs(tokens))} tokens`;
  return `“${name}” ${revision === null ? "was removed" : `is at revision ${revision}`}: ${by}.`;
}

/** What the last change was; nothing until something changes here. */
function useNews(picture: Picture | undefined): readonly Landed[] {
  const before = useRef<Picture>(undefined);
  const [news, setNews] = useState<readonly Landed[]>([]);
  useEffect(() => {
    if (!picture) return;
    const changed = before.current ? landed(before.current.strata, picture.strata) : [];
    before.current = picture;
    if (changed.length > 0) setNews(changed.slice(0, 5));
  }, [picture]);
  return news;
}

function useHeight() {
  const thing = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    if (!thing.current) return;
    const watcher = new ResizeObserver(([entry]) => setHeight(Math.floor(entry?.contentRect.height ?? 0)));
    watcher.observe(thing.current);
    return () => watcher.disconnect();
  }, []);
  return [thing, height] as const;
}
