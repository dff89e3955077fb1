import type { NextRequestAnswer, PromptAnswer } from "charter/answers";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, sendJson, withQuery } from "../../api/request.ts";
import { useWays } from "../../app/drawer.tsx";
import { useAct } from "../../app/form-dialog.tsx";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { type Assembled, cacheRuleOf, nowStrata, placedSections } from "../../assembly/assembled.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import { useLatestChange } from "../../cause/latest-change.tsx";
import { Button } from "../../kit/field.tsx";
import { Dialog } from "../../kit/menu.tsx";
import { useSize } from "../../kit/window.ts";
import { count, exactness, plural, signed, timeText } from "../../kit/words.ts";
import type { CacheRule, Stratum } from "../../strata/layout.ts";
import { Strata } from "../../strata/strata.tsx";
import { type Landed, landed } from "./happening.ts";
import { SessionMenu } from "./sessions.tsx";
import type { Whom } from "./talk.ts";

type HeadProps = {
  readonly whom: Whom;
  readonly session: string | undefined;
  readonly onAnew: () => void;
  readonly beside: boolean;
  readonly listed: boolean;
};

/**
 * With whom one speaks, as whom, and what can be done about it. `beside`: the next prompt is seen already; `listed`: the
 * conversations are.
 */
export function Head({ whom, session, onAnew, beside, listed }: HeadProps) {
  const { agent, user } = whom;
  const { isDrawer, speakAs } = useWays(whom);
  return (
    <div className="flex items-end gap-x-2 border-line border-b px-4 py-2 @lg:gap-x-4 @lg:px-6">
      {!isDrawer && <h1 className="sr-only self-center font-semibold text-xl tracking-tight @lg:not-sr-only">Chat</h1>}
      <UserChoice
        agent={agent}
        user={user}
        label="You speak as"
        nobody="yourself"
        needed
        className={`me-auto w-36 shrink ${isDrawer ? "" : "@lg:ms-auto @lg:me-0"}`}
        onUser={speakAs}
      />
      <div className="flex shrink-0 @lg:gap-1">
        {!listed && <SessionMenu whom={whom} session={session} />}
        <Button kind="quiet" className="@max-lg:px-2" onClick={onAnew}>
          <span>
            New<span className="@max-lg:sr-only"> conversation</span>
          </span>
        </Button>
        <Telegram agent={agent} user={user} />
        {!beside && (
          <Link
            href={placeOf(agent, "prompt", undefined, { user, channel: "web" })}
            className="inline-flex min-h-9 items-center rounded-md px-2 font-medium text-sm text-soft hover:bg-raised hover:text-ink @lg:px-3"
          >
            <span>
              <span className="sr-only">The next </span>Prompt
            </span>
          </Link>
        )}
      </div>
    </div>
  );
}

type Code = { readonly code: string; readonly expiresAt: string; readonly url?: string };

/** Links a Telegram chat to the user one speaks as: a code that is good once. */
function Telegram({ agent, user }: Whom) {
  const [open, setOpen] = useState(false);
  const [code, setCode] = useState<Code>();
  const { problem, run } = useAct();
  const make = async () => {
    setOpen(true);
    setCode(undefined);
    setCode(await run(() => sendJson<Code>(`/agents/${encodeName(agent)}/links`, { channel: "telegram", user })));
  };
  return (
    <>
      <Button kind="quiet" className="@max-lg:px-2" onClick={make}>
        <span>
          <span className="@max-lg:sr-only">Link </span>Telegram
        </span>
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Link a Telegram chat to ${user}`}>
        {problem ? <Trouble problem={problem} again={make} /> : code ? <How agent={agent} {...code} /> : <Loading />}
      </Dialog>
    </>
  );
}

function How({ agent, code, expiresAt, url }: Code & { readonly agent: string }) {
  const command = <code className="select-all rounded bg-raised px-1.5 py-0.5">/link {code}</code>;
  return (
    <div className="space-y-3 text-sm">
      {url?.startsWith("https://t.me/") ? (
        <p>
          <a href={url} target="_blank" rel="noopener noreferrer" className="font-medium text-accent underline">
            Open Telegram
          </a>{" "}
          to link it, or send the bot {command}.
        </p>
      ) : (
        <>
          <p>
            No bot of {agent} runs in this server. One that runs elsewhere (<code>charter work</code>) takes {command}.
          </p>
          <p className="text-soft">
            To set one up, start Charter with <code>TELEGRAM_BOT_TOKEN</code>: see <code>docs/telegram.md</code>.
          </p>
        </>
      )}
      <p className="text-soft">The code can be used once, until {timeText(expiresAt)}.</p>
    </div>
  );
}

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
  const [around, { height }] = useSize<HTMLDivElement>();
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
      <Trouble problem={problem} />
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
  const by = tokens === 0 ? "same length" : `${signed(tokens)} tokens`;
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

/** What goes out next, as bands: in a conversation that goes on (`now`), or in a new one. */
type Picture = {
  readonly kind: "now" | "new";
  readonly strata: readonly (Stratum & { readonly revision: number | null; readonly isUpdate?: boolean })[];
  /** Of the sections, and of the whole request. */
  readonly tokens: number;
  readonly whole: number;
  readonly exact: boolean;
  readonly cache: CacheRule;
};

type Asked = {
  readonly agent: string;
  readonly user: string;
  readonly session: string | undefined;
  readonly isNew: boolean;
};

/** Where nothing can be sent (the model is broken, the session is gone), the prompt of a new conversation is shown. */
function useNextPicture({ agent, user, session, isNew }: Asked): {
  readonly picture: Picture | undefined;
  readonly problem: Error | undefined;
} {
  const about = { parts: "request", user, channel: "web", session };
  const next = useApi<Pick<PromptAnswer, "request">>(
    isNew ? undefined : withQuery(`/agents/${encodeName(agent)}/prompt`, about),
  );
  const now = isNew || next.isPlaceholderData ? undefined : next.data?.request;
  const isAnew = isNew || next.error !== null || now?.session === null;
  const { data, problem } = useAssembled(isAnew ? { agent, user, channel: "web" } : undefined);
  const picture = useMemo(() => (isAnew ? data && newPicture(data) : now && nowPicture(now)), [isAnew, data, now]);
  return { picture, problem: isAnew && !data ? problem : undefined };
}

function newPicture(assembled: Assembled): Picture {
  const { total, exact } = assembled.tokens;
  const strata = placedSections(assembled);
  return { kind: "new", strata, tokens: total, whole: total, exact, cache: cacheRuleOf(assembled) };
}

function nowPicture(next: NextRequestAnswer): Picture {
  const strata = nowStrata(next);
  const tokens = strata.reduce((sum, one) => sum + one.tokens, 0);
  const { total, exact, tools } = next.tokens;
  return { kind: "now", strata, tokens, whole: total, exact, cache: { min: next.cacheMin, tools } };
}
