import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import type { Assembled } from "../../assembly/assembled.ts";
import { cacheRuleOf, placedSections } from "../../assembly/placed.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import { count, exactness, plural } from "../../kit/words.ts";
import { Strata } from "../../strata/strata.tsx";
import { type Landed, landed } from "./landed.ts";
import type { Whom } from "./talk.ts";

/** The prompt the next turn would have, as strata: what was just amended is seen to land. */
export function NextPrompt({ agent, user }: Whom) {
  const { data, problem } = useAssembled({ agent, user, channel: "web" });
  const [, go] = useLocation();
  const [around, height] = useHeight();
  const strata = useMemo(() => (data ? placedSections(data) : []), [data]);
  const news = useNews(data);
  return (
    <div className="flex h-full min-h-0 flex-col p-4">
      <div className="mb-3 flex items-baseline justify-between gap-2">
        <h2 className="font-medium text-sm">The next prompt</h2>
        <Link
          href={placeOf(agent, "prompt", undefined, { user, channel: "web" })}
          className="text-accent text-xs underline"
        >
          in Prompt
        </Link>
      </div>
      {problem && !data && <Trouble problem={problem} />}
      {!problem && !data && <Loading />}
      <div ref={around} className="min-h-0 flex-1">
        {data && height > 0 && (
          <Strata
            strata={strata}
            height={height}
            label={`The next prompt: ${plural(data.tokens.total, "token")} in ${plural(strata.length, "section")}`}
            cache={cacheRuleOf(data)}
            selected={news[0]?.name}
            onSelect={(section) => go(placeOf(agent, "sections", section, { user }))}
          />
        )}
      </div>
      {data && (
        <div className="mt-3 space-y-0.5 text-soft text-xs" role="status">
          <p>
            {plural(data.tokens.total, "token")} {exactness(data.tokens)}
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

function newsText({ name, revision, tokens }: Landed): string {
  const by = tokens === 0 ? "same length" : `${tokens > 0 ? "+" : "−"}${count(Math.abs(tokens))} tokens`;
  return `“${name}” ${revision === null ? "was removed" : `is at revision ${revision}`}: ${by}.`;
}

/** What the last change was; nothing until something changes here. */
function useNews(data: Assembled | undefined): readonly Landed[] {
  const before = useRef<Assembled>(undefined);
  const [news, setNews] = useState<readonly Landed[]>([]);
  useEffect(() => {
    if (!data) return;
    const changed = before.current ? landed(before.current.sections, data.sections) : [];
    before.current = data;
    if (changed.length > 0) setNews(changed.slice(0, 5));
  }, [data]);
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
