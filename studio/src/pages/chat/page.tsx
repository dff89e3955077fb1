import type { AgentAnswer, ApprovalListAnswer, MeAnswer, RunListAnswer, TurnListAnswer } from "charter/answers";
import { ArrowDown } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { AnsweredBy } from "../../app/cause.tsx";
import { useWays } from "../../app/drawer.tsx";
import { Loading, Trouble, useTitle } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { placeOfDraft, readDraft, useDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useEnd, useWide } from "../../kit/window.ts";
import { Composer } from "./composer.tsx";
import { Head, NextPrompt } from "./head.tsx";
import { Waiting } from "./held-card.tsx";
import { type Entry, flow, saidIn, waitingElsewhere } from "./recorded.ts";
import { Anew, NoSession, OneSessionNote, SessionList } from "./sessions.tsx";
import { beginAnew, forget, say, type Talk, useTalk, type Whom } from "./talk.ts";
import type { Doing } from "./turn.tsx";
import { AtTerminal, EntryView, Welcome } from "./welcome.tsx";

/** As whom one speaks: as the address says, else as oneself. */
export default function ChatPage() {
  const { agent } = usePlace();
  const [asked] = useAsked();
  const me = useApi<MeAnswer>("/me");
  useTitle("Chat");
  const user = asked("user") ?? me.data?.user ?? undefined;
  const whom = useMemo(() => (user === undefined ? undefined : { agent, user }), [agent, user]);
  if (me.error && !whom)
    return (
      <div className="p-4">
        <Trouble problem={me.error} />
      </div>
    );
  return whom ? <Chat whom={whom} session={asked("session")} /> : <Loading />;
}

const stretch = 30;
/** So many the server lists at once; what is older stands in Activity. */
const maxTurns = 990;

export function Chat({ whom, session }: { readonly whom: Whom; readonly session: string | undefined }) {
  const { agent, user } = whom;
  const ways = useWays(whom);
  // Who speaks can be changed without losing one's place in the page; nothing else goes along from one to the next.
  const key = JSON.stringify(whom);
  const talk = useTalk(whom);
  const [limit, setLimit] = useState(stretch);
  const turns = useApi<TurnListAnswer>(withQuery(`/agents/${encodeName(agent)}/turns`, { user, session, limit }));
  const runs = useApi<RunListAnswer>(withQuery(`/agents/${encodeName(agent)}/runs`, { user, limit }));
  const held = useApi<ApprovalListAnswer>(withQuery("/approvals", { agent, limit: 100 }));
  const quiet = useMemo(
    () => new Set(runs.data?.runs.filter(({ state }) => state === "quiet").map(({ turn }) => turn ?? "")),
    [runs.data],
  );
  const entries = useMemo(
    () => flow(turns.data?.turns ?? [], quiet, saidIn(talk.said, session)),
    [turns.data, quiet, talk.said, session],
  );
  const wide = useWide(1280) && !ways.isDrawer;
  const listed = useWide(1600) && !ways.isDrawer;
  const about = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`).data;
  const anew = () => {
    beginAnew(whom);
    ways.leave();
  };
  return (
    <div className="flex h-full min-h-0">
      {listed && (
        <aside aria-label="Conversations" className="w-64 shrink-0 overflow-y-auto border-line border-e p-2">
          <SessionList key={key} whom={whom} session={session} />
        </aside>
      )}
      <div className="@container flex min-w-0 flex-1 flex-col">
        <Head whom={whom} session={session} onAnew={anew} beside={wide} listed={listed} />
        {about && about.served !== false && (
          <div className="border-line border-b px-4 py-1.5 text-xs sm:px-6">
            <AnsweredBy agent={agent} by={about.answersWith} />
          </div>
        )}
        {session !== undefined && <OneSessionNote whom={whom} />}
        <Conversation
          key={`${key} ${session}`}
          whom={whom}
          session={session}
          served={about?.served !== false}
          talk={talk}
          entries={entries}
          ready={turns.data !== undefined || turns.error !== null}
          problem={turns.data ? undefined : (turns.error ?? undefined)}
          held={held.data}
          onEarlier={turns.data?.more && limit < maxTurns ? () => setLimit(limit + stretch) : undefined}
          older={turns.data?.more === true && limit >= maxTurns}
        />
      </div>
      {wide && (
        <aside aria-label="The next prompt" className="w-72 shrink-0 border-line border-s bg-card">
          {about && (session === undefined || turns.data) && (
            <NextPrompt
              key={`${key} ${session}`}
              {...whom}
              session={session}
              isNew={about.served === false || (session === undefined ? talk.session === "new" : entries.length === 0)}
            />
          )}
        </aside>
      )}
    </div>
  );
}

type ConversationProps = {
  readonly whom: Whom;
  /** The one that is shown and continued; undefined: all of them, and the newest is continued. */
  readonly session: string | undefined;
  /** Its turns are taken here: those of others are read here, and nothing is said. */
  readonly served: boolean;
  readonly talk: Talk;
  readonly entries: readonly Entry[];
  readonly ready: boolean;
  readonly problem: Error | undefined;
  readonly held: ApprovalListAnswer | undefined;
  readonly onEarlier: (() => void) | undefined;
  readonly older: boolean;
};

function Conversation(props: ConversationProps) {
  const { whom, session, served, talk, entries, ready, problem, held, onEarlier, older } = props;
  const { around, inside, away, toEnd } = useEnd(entries.length > 0);
  const box = useRef<HTMLTextAreaElement>(null);
  const place = placeOfDraft("chat", whom.agent, whom.user);
  const [draft, setDraft] = useDraft(place);
  const running = talk.said.some(({ so }) => so.ended === undefined);
  const [answer, setAnswer] = useState("");
  const missing = session !== undefined && ready && entries.length === 0;

  const send = useCallback(
    async (text: string) => {
      if (readDraft<string>(place)?.trim() === text) setDraft(undefined);
      setAnswer("Answering…");
      toEnd();
      const end = await say(whom, text, session);
      setAnswer(end.ended === "answered" ? end.text.slice(0, 4_000) : "No reply.");
      // Whoever failed to say it has the words back, unless they write others already.
      if (typeof end.ended === "object" && !readDraft(place)) setDraft(text);
      box.current?.focus({ preventScroll: true });
    },
    [whom, session, place, setDraft, toEnd],
  );
  const doing = useMemo<Doing>(
    () => ({
      busy: running,
      onRetry: served
        ? (text, key) => {
            if (key !== undefined) forget(whom, key);
            void send(text);
          }
        : undefined,
      onDecided: (goesOn) => {
        if (goesOn && !readDraft(place)) setDraft("Go on.");
        box.current?.focus({ preventScroll: true });
      },
    }),
    [whom, place, send, setDraft, running, served],
  );
  const shown = useMemo(() => new Set(entries.flatMap((one) => (one.kind === "turn" ? [one.turn.id] : []))), [entries]);
  const waiting = held && ready ? waitingElsewhere(held, whom.user, shown) : [];
  const earlier = () => {
    // At the very top a browser would show what comes above; a little below it, it stays with what one reads.
    if (around.current?.scrollTop === 0) around.current.scrollTop = 1;
    onEarlier?.();
  };
  const fill = (text: string) => {
    setDraft(text);
    box.current?.focus();
  };
  return (
    <>
      <section
        ref={around}
        data-scrolls
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        <div ref={inside} className="mx-auto w-full max-w-3xl space-y-7 px-4 py-5 sm:px-6">
          {onEarlier && (
            <p className="text-center [overflow-anchor:none]">
              <Button kind="quiet" onClick={earlier}>
                Show earlier turns
              </Button>
            </p>
          )}
          {older && (
            <Link
              href={placeOf(whom.agent, "turns", undefined, { user: whom.user })}
              className="block text-center text-accent text-sm underline"
            >
              Older turns are in Activity
            </Link>
          )}
          <Trouble problem={problem} />
          {!ready && <Loading />}
          {ready &&
            !problem &&
            entries.length === 0 &&
            (session === undefined ? (
              <Welcome agent={whom.agent} onTry={fill} />
            ) : (
              <NoSession whom={whom} session={session} />
            ))}
          {entries.map((entry) => (
            <EntryView key={entry.key} whom={whom} entry={entry} doing={doing} />
          ))}
          {talk.session === "new" && session === undefined && entries.length > 0 && <Anew />}
          <Waiting of={waiting} onDecided={doing.onDecided} />
        </div>
      </section>
      <div className="relative border-line border-t bg-paper">
        {away && (
          <Button className="absolute -top-12 left-1/2 -translate-x-1/2 shadow-md" onClick={toEnd}>
            <Icon of={ArrowDown} /> To the newest
          </Button>
        )}
        {served && !missing ? (
          <Composer
            box={box}
            agent={whom.agent}
            words={draft ?? ""}
            busy={running}
            onWords={(text) => setDraft(text === "" ? undefined : text)}
            onSend={() => send((draft ?? "").trim())}
          />
        ) : (
          entries.length > 0 && <AtTerminal agent={whom.agent} />
        )}
        <p role="status" data-told className="sr-only">
          {answer}
        </p>
      </div>
    </>
  );
}
