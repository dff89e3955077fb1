import type { AgentAnswer, AutomatonAnswer, MessageListAnswer, ReplyListAnswer } from "charter/answers";
import { useCallback, useEffect, useRef, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Answered, Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, saidWith, useAsked, usePlace } from "../../app/place.ts";
import { Button, Choices, Field, Input } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { LongList } from "../../kit/list.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { useNow } from "../../kit/window.ts";
import { counterpartKey, timeText } from "../../kit/words.ts";
import { causeWords, Figures, microsOf, money, stateWords } from "./figures.tsx";
import { MessageList, RetryAll } from "./messages.tsx";
import { ChainTrouble, type Life, ObstacleList, obstaclesOf, sleepOf } from "./obstacles.tsx";

const maxTold = 5;

/** How an agent fares that lives by itself: what it does, what it has left, what its inbox holds. */
export default function LifePage() {
  const { agent } = usePlace();
  return <OneLife key={agent} agent={agent} />;
}

function OneLife({ agent }: { readonly agent: string }) {
  const path = `/agents/${encodeName(agent)}`;
  const about = useApi<AgentAnswer>(path);
  // Where its charter cannot be loaded, the snapshot says why.
  const lives = about.data && (about.data.needs?.includes("inbox") ?? true);
  const { data: life, error, refetch } = useApi<Life>(lives ? `${path}/snapshot` : undefined);
  const problem = about.error ?? error;
  const now = useNow();
  // A process that dies tells nobody: what no event says is looked for now and then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: by the clock.
  useEffect(() => {
    if (lives) void refetch({ cancelRefetch: false });
  }, [now, lives, refetch]);
  const [told, setTold] = useState<readonly Done[]>([]);
  const done = useCallback(
    (says: string) =>
      setTold((before) => [{ number: (before[0]?.number ?? 0) + 1, says }, ...before].slice(0, maxTold)),
    [],
  );
  return (
    <Page
      title="Life"
      hint="The agent answers messages and runs turns on its own: what it is doing, what is left of its budget, and the messages that wait."
      actions={life && <Acts life={life} now={now} onDone={done} />}
    >
      <Told told={told} />
      <Trouble problem={problem} again={() => void (about.error ? about.refetch() : refetch())} />
      {!problem && !life && lives !== false && <Loading />}
      {lives === false && (
        <Empty title={`“${agent}” has no inbox`}>
          An agent whose charter has one, such as “sovereign”, receives messages and takes turns on its own.
        </Empty>
      )}
      {life && <Shown life={life} now={now} onDone={done} />}
    </Page>
  );
}

function Shown({ life, now, onDone }: ShownProps) {
  const { agent, waiting } = life;
  const inbox = `/agents/${encodeName(agent)}/inbox`;
  const first = useApi<MessageListAnswer>(withQuery(inbox, { status: "waiting", limit: 1 })).data?.messages[0];
  return (
    <div className="space-y-6">
      <div>
        <ObstacleList obstacles={obstaclesOf(life, now)} />
        <Figures life={life} now={now} oldest={first?.at} />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-6">
          {life.chain && <ChainTrouble agent={agent} chain={life.chain} onDone={onDone} />}
          <MessageList
            agent={agent}
            status="dead"
            title="Failed messages"
            about="Each failed three times. Retry or discard them."
            acts={<RetryAll agent={agent} onDone={onDone} />}
            onDone={onDone}
          />
          <MessageList
            agent={agent}
            status="taken"
            title="Being answered"
            about="A turn is working on these."
            onDone={onDone}
          />
          <MessageList
            agent={agent}
            status="waiting"
            title="Waiting"
            about="Oldest first. A sender with many messages delays only their own."
            total={waiting}
            none="No messages are waiting."
            onDone={onDone}
          />
          <Replies agent={agent} sendsByChain={life.chain !== undefined && life.chain.sends !== false} />
        </div>
        <Transitions life={life} />
      </div>
    </div>
  );
}

type ShownProps = { readonly life: Life; readonly now: number; readonly onDone: (says: string) => void };

/** Something that was just done here. */
export type Done = { readonly number: number; readonly says: string };

/** What was just done here, the newest first. The button that was pressed may be gone with its message: one goes on from here. */
export function Told({ told }: { readonly told: readonly Done[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (told.length > 0) place.current?.focus({ preventScroll: true });
  }, [told]);
  return (
    <div ref={place} role="status" tabIndex={-1}>
      {told.length > 0 && (
        <ul className="mb-4 space-y-1 rounded-lg border border-good/50 bg-card px-4 py-2.5 text-sm [overflow-wrap:anywhere]">
          {told.map(({ number, says }) => (
            <li key={number}>{says}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What can be done with all of it: a budget granted (`?do=grant`), sent to sleep (`?do=sleep`), woken. */
function Acts({ life, now, onDone }: ShownProps) {
  const { agent, balances } = life;
  const [asked, setAsked] = useAsked();
  const { busy, problem, run } = useAct();
  const open = (what: "grant" | "sleep") => setAsked({ do: what }, { replace: false });
  const close = () => setAsked({ do: undefined });
  const done = (says: string) => {
    close();
    onDone(says);
  };
  const wake = async () => {
    if (await run(() => sendJson(`/agents/${encodeName(agent)}/automaton/wake`))) onDone("It is awake.");
  };
  return (
    <>
      {sleepOf(life, now) ? (
        <Button disabled={busy} onClick={wake}>
          Wake it
        </Button>
      ) : (
        <Button onClick={() => open("sleep")}>Send to sleep…</Button>
      )}
      <Button kind="primary" onClick={() => open("grant")}>
        Grant a budget…
      </Button>
      <Trouble problem={problem} />
      {asked("do") === "grant" && <Grant {...{ agent, balances }} onClose={close} onDone={done} />}
      {asked("do") === "sleep" && <Sleep agent={agent} onClose={close} onDone={done} />}
    </>
  );
}

const ways = [
  ["woken", "Until I wake it"],
  ["time", "Until a time"],
] as const;

type DialogProps = {
  readonly agent: string;
  readonly onClose: () => void;
  readonly onDone: (says: string) => void;
};

/** Sends an agent to sleep: until someone wakes it, or until a time. */
function Sleep({ agent, onClose, onDone }: DialogProps) {
  const [way, setWay] = useState<(typeof ways)[number][0]>("woken");
  const [time, setTime] = useState("");
  const act = useAct();
  const until = way === "woken" || time === "" ? undefined : new Date(time).toISOString();
  const sleep = async () => {
    const path = `/agents/${encodeName(agent)}/automaton/sleep`;
    if (await act.run(() => sendJson(path, until === undefined ? {} : { until })))
      onDone(`It sleeps until ${until === undefined ? "you wake it" : timeText(until)}.`);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Send “${agent}” to sleep`}
      about="A turn that runs now goes on to its end. After that it takes none, and messages wait. Users can still talk to it."
      act={act}
      does="Send to sleep"
      ready={way === "woken" || time !== ""}
      onSubmit={sleep}
    >
      <Choices label="How long" of={ways} chosen={way} onChoose={setWay} />
      {way === "time" && (
        <Field label="Until" hint="In your own time zone.">
          <Input required type="datetime-local" value={time} onChange={({ target }) => setTime(target.value)} />
        </Field>
      )}
    </FormDialog>
  );
}

/** Grants an agent more to spend: in dollars, added to what it has. */
function Grant({ agent, balances: { granted, balance: left }, onClose, onDone }: DialogProps & Pick<Life, "balances">) {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const micros = microsOf(typed);
  const grant = async () => {
    if (micros === undefined) return;
    const path = `/agents/${encodeName(agent)}/automaton/grant`;
    const answer = await act.run(() => sendJson<AutomatonAnswer>(path, { micros }));
    if (answer) onDone(`Granted ${money(micros)}.${leftAfter(answer.balances.balance)}`);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Grant “${agent}” a budget`}
      about={
        granted !== null
          ? "Added to the remaining budget."
          : "From now on, everything it spends counts against this budget. When the budget runs low it does less; when it is used up it stops."
      }
      act={act}
      does={micros === undefined ? "Grant" : `Grant ${money(micros)}`}
      ready={micros !== undefined}
      onSubmit={grant}
    >
      <Field label="Dollars" hint={hintOf(typed, micros, left)}>
        <Input
          required
          inputMode="decimal"
          autoComplete="off"
          placeholder="5.00"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function hintOf(typed: string, micros: number | undefined, left: number | null): string {
  if (micros !== undefined)
    return left === null ? `Its budget will be ${money(micros)}.` : `Its budget will be ${money(left + micros)}.`;
  return typed.trim() === "" ? "For example 5 or 2.50." : "Enter an amount like 5 or 2.50, with a point.";
}

function leftAfter(balance: number | null): string {
  return balance === null ? "" : ` It has ${money(balance)} left.`;
}

const latest = 10;

/** What it answered last, to whom, and whether they have fetched it. */
export function Replies({ agent, sendsByChain }: RepliesProps) {
  const path = withQuery(`/agents/${encodeName(agent)}/outbox`, { limit: latest });
  const answer = useApi<ReplyListAnswer>(path);
  const { data } = answer;
  return (
    <section aria-label="Latest replies">
      <h2 className="mb-1 font-semibold text-lg">Latest replies</h2>
      <Answered of={answer}>
        {({ replies }) => replies.length === 0 && <p className="text-sm text-soft">No replies yet.</p>}
      </Answered>
      {data && data.replies.length > 0 && (
        <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {data.replies.map(({ id, message, to, at, body, sentAt, turn }) => (
            <li key={id} className="px-4 py-2.5">
              <p className="mb-0.5 flex flex-wrap items-baseline gap-x-2 gap-y-0.5 text-soft text-xs">
                <span>
                  to{" "}
                  <TextLink href={saidWith(agent, counterpartKey(to))} dir="auto">
                    {to}
                  </TextLink>
                </span>
                <span>{timeText(at)}</span>
                {turn !== undefined && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
                <span>{sentWords(sentAt, sendsByChain && (message?.startsWith("chain:") ?? false))}</span>
              </p>
              <LongText text={body} max={400} className="text-sm" />
            </li>
          ))}
        </ol>
      )}
      {data?.more && (
        <p className="mt-2 text-sm text-soft">
          These are the latest {latest}. <TextLink href={saidWith(agent)}>All conversations</TextLink>
        </p>
      )}
    </section>
  );
}

type RepliesProps = {
  readonly agent: string;
  /** Replies to what came by a chain are put on it. */
  readonly sendsByChain: boolean;
};

/** A reply on a chain is there when its block counts; every other is fetched by whoever it is for. */
function sentWords(sentAt: string | null, byChain: boolean): string {
  if (sentAt === null) return byChain ? "not final on the chain yet" : "not fetched yet";
  return `${byChain ? "final on the chain" : "fetched"} ${timeText(sentAt)}`;
}

/** How its state changed, newest first: turn by turn, through which states, and how that ended. */
function Transitions({ life: { agent, transitions } }: { readonly life: Life }) {
  const episodes = episodesOf(transitions);
  return (
    <section aria-label="Latest events">
      <h2 className="mb-1 font-semibold text-lg">Latest events</h2>
      {episodes.length === 0 && <p className="text-sm text-soft">Nothing yet.</p>}
      <LongList
        label="Latest events"
        items={episodes}
        keyOf={({ at, cause }, index) => `${index} ${at} ${cause}`}
        draw={(episode) => <Row agent={agent} episode={episode} />}
      />
    </section>
  );
}

function Row({ agent, episode }: { readonly agent: string; readonly episode: Episode }) {
  const { turn, at, cause, states, faults } = episode;
  const words = causeWords(cause);
  return (
    <div className="border-line border-t py-2 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="inline-block first-letter:uppercase [overflow-wrap:anywhere]">{words}</span>
        {faults.length > 0 && <Badge tone="bad">fault</Badge>}
        {turn !== null && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
        <span className="ml-auto text-soft text-xs">{timeText(at)}</span>
      </p>
      <p className="text-soft text-xs">{states.map((state) => stateWords(state).title).join(" → ")}</p>
      {faults
        .filter((fault) => fault !== cause)
        .map((fault) => (
          <p key={fault} className="text-bad text-xs [overflow-wrap:anywhere]">
            {causeWords(fault)}
          </p>
        ))}
    </div>
  );
}

type Transition = Life["transitions"][number];

/** What belongs together in the changes of a state: those of one turn, or one that was in none. */
export type Episode = {
  readonly turn: string | null;
  /** When and why its last change came. */
  readonly at: string;
  readonly cause: string;
  /** The states it went through, in their order. */
  readonly states: readonly string[];
  /** What was not foreseen. */
  readonly faults: readonly string[];
};

/** Both newest first. */
export function episodesOf(transitions: readonly Transition[]): readonly Episode[] {
  const all: Episode[] = [];
  for (const { turn, at, cause, to, fault } of transitions) {
    const last = all.at(-1);
    const faults = fault ? [cause] : [];
    if (last && turn !== null && last.turn === turn)
      all[all.length - 1] = { ...last, states: [to, ...last.states], faults: [...faults, ...last.faults] };
    else all.push({ turn, at, cause, states: [to], faults });
  }
  return all;
}
