import type { NextRequestAnswer, TurnListAnswer } from "charter/answers";
import { Slider } from "radix-ui";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, type Whose, withQuery } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import { Choices } from "../../kit/field.tsx";
import { timeText } from "../../kit/words.ts";

/** Which request is looked at: the next of a conversation, that of a new one, or one that a turn sent. */
export type Shown = "now" | "new" | "turn";

type Change = Readonly<Record<string, string | undefined>>;

type OverTimeProps = Whose & {
  readonly shown: Shown;
  readonly turn: string | undefined;
  /** The turn it is compared with, where that is not the one before. */
  readonly since: string | undefined;
  readonly request: NextRequestAnswer | undefined;
  readonly change: (change: Change) => void;
};

/** The turns that are looked back on, oldest first. */
export function useTurns(agent: string, user: string | undefined): readonly Turn[] {
  const { data } = useApi<TurnListAnswer>(withQuery(`/agents/${encodeName(agent)}/turns`, { user, limit: 100 }));
  return useMemo(() => (data?.turns ?? []).filter(({ state }) => state !== "erased").toReversed(), [data]);
}

type Turn = TurnListAnswer["turns"][number];

/** Now, a new conversation, or any turn there was: a switch of what the document shows, and a slider over time. */
export function OverTime(props: OverTimeProps) {
  const { agent, user, shown, turn, since, request, change } = props;
  const turns = useTurns(agent, user);
  const session = request?.session ?? null;
  const last = turns.at(-1);
  const choose = (next: Shown) => {
    const none = { turn: undefined, since: undefined, show: undefined, at: undefined, edition: undefined };
    if (next === "turn") change({ ...none, tokens: undefined, turn: last?.id });
    else change(next === "new" ? { ...none, show: "new" } : none);
  };
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Choices
          label="What is shown"
          of={[["now", "Now"], ["new", "New conversation"], ...(last ? [["turn", "Past turn"] as const] : [])]}
          chosen={shown}
          onChoose={choose}
        />
        <p role="status" className="text-sm text-soft">
          <Says shown={shown} session={session} user={user} sent={request?.sent ?? null} agent={agent} />
        </p>
      </div>
      {shown === "turn" && turns.length > 1 && (
        <Past turns={turns} turn={turn} since={since} change={change} agent={agent} />
      )}
    </div>
  );
}

type SaysProps = {
  readonly shown: Shown;
  readonly session: NextRequestAnswer["session"];
  readonly user: string | undefined;
  readonly sent: NextRequestAnswer["sent"];
  readonly agent: string;
};

function Says({ shown, session, user, sent, agent }: SaysProps) {
  const whose = user === undefined ? "" : ` with ${user}`;
  if (shown === "turn")
    return sent === null ? null : (
      <>
        Sent <time dateTime={sent.at}>{timeText(sent.at)}</time>, as its receipt proves.{" "}
        <Link href={placeOf(agent, "turns", sent.turn)} className="text-accent underline">
          The turn
        </Link>
      </>
    );
  if (shown === "new") return "The first request of a new conversation.";
  if (session === null) return `No conversation${whose} is open: the next turn opens one.`;
  return (
    <>
      The next request in the conversation{whose}
      {session.channel !== null && ` on ${session.channel}`}, last used{" "}
      <time dateTime={session.lastAt}>{timeText(session.lastAt)}</time>.
    </>
  );
}

type PastProps = Pick<OverTimeProps, "agent" | "turn" | "since" | "change"> & { readonly turns: readonly Turn[] };

/** One handle is the turn that is shown; the other, which follows it unless it is moved, the one it is compared with. */
function Past({ turns, turn, since, change }: PastProps) {
  const [drawn, setDrawn] = useState<readonly number[]>();
  const at = Math.max(
    0,
    turns.findIndex(({ id }) => id === turn),
  );
  const chosen = since === undefined ? -1 : turns.findIndex(({ id }) => id === since);
  const from = chosen === -1 ? Math.max(0, at - 1) : chosen;
  const [first = from, second = at] = drawn ?? [from, at];
  const tell = (index: number) => timeText(turns[index]?.startedAt ?? "");
  const choose = ([one = 0, other = 0]: readonly number[]) => {
    setDrawn(undefined);
    change({ turn: turns[other]?.id, since: one === other - 1 || one === other ? undefined : turns[one]?.id });
  };
  // Whoever moves the one that is shown takes the other along, until it is drawn apart.
  const moved = ([one = 0, other = 0]: readonly number[]) =>
    other !== at && chosen === -1 ? [Math.max(0, other - 1), other] : [one, other];
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <Slider.Root
        className="relative flex h-9 min-w-48 flex-1 touch-none select-none items-center"
        min={0}
        max={turns.length - 1}
        step={1}
        value={[first, second]}
        onValueChange={(values) => setDrawn(moved(values))}
        onValueCommit={(values) => choose(moved(values))}
      >
        <Slider.Track className="relative h-1.5 flex-1 rounded-full bg-line">
          <Slider.Range className="absolute h-full rounded-full bg-good" />
        </Slider.Track>
        <Slider.Thumb
          aria-label="Compared with"
          aria-valuetext={tell(first)}
          className="block size-4 rounded-full border-2 border-good bg-card"
        />
        <Slider.Thumb
          aria-label="Turn that is shown"
          aria-valuetext={tell(second)}
          className="block size-5 rounded-full border-2 border-accent bg-card shadow-sm"
        />
      </Slider.Root>
      <p className="text-soft text-xs">
        {tell(second)}, <span className="underline decoration-2 decoration-good underline-offset-4">what changed</span>{" "}
        since {tell(first)}
      </p>
    </div>
  );
}
