import type { TurnAnswer } from "charter/answers";
import { memo, useState } from "react";
import { Link } from "wouter";
import { ApiProblem } from "../../api/request.ts";
import { Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { InputBubble } from "../../kit/text/input-bubble.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { useSeen } from "../../kit/window/scroll.ts";
import { timeText } from "../../kit/words.ts";
import type { Happening } from "./happening.ts";
import { Happenings } from "./happenings.tsx";
import { type Said, stop, type Whom } from "./talk.ts";
import { useRecorded } from "./use-recorded.ts";

export type Doing = {
  /** Says the words once more; what was never on record (`key`) goes. */
  readonly onAgain: (words: string, key?: string) => void;
  readonly onDecided: (goesOn: boolean) => void;
};

type Shown = {
  readonly id: string | undefined;
  readonly key?: string;
  readonly at: string;
  readonly input: string;
  readonly channel: string | null;
  readonly tainted: boolean;
  readonly happened: readonly Happening[];
  readonly text: string;
  readonly end: "answered" | "running" | "none";
  /** What it is at, or why there is no answer. */
  readonly told: string | undefined;
  readonly failed: boolean;
};

/** A turn that was taken here: as it goes on, and as it went. */
export const LiveTurn = memo(function LiveTurn({
  whom,
  said: { key, input, at, so },
  doing,
}: {
  readonly whom: Whom;
  readonly said: Said;
  readonly doing: Doing;
}) {
  const { ended, text, busy, happened, turn } = so;
  const stopped = ended === "stopped";
  const because = typeof ended === "object" ? ended.because : undefined;
  const end = ended === undefined ? "running" : ended === "answered" ? "answered" : "none";
  const told = because ?? (stopped ? "Stopped." : busy);
  const facts = { id: turn, at, input, channel: "web", tainted: false, happened, text, end, told } as const;
  const unrecorded = turn === undefined ? { key } : {};
  return <Article whom={whom} of={{ ...facts, ...unrecorded, failed: because !== undefined }} doing={doing} />;
});

const noAnswer: Readonly<Record<string, string>> = {
  running: "Still running…",
  failed: "It came to no answer.",
  interrupted: "It was interrupted: nobody works on it any more.",
  erased: "It was erased.",
};

/** One that is on record; what happened in it is read when it is looked at. */
export const RecordedTurn = memo(function RecordedTurn({
  whom,
  turn,
  doing,
}: {
  readonly whom: Whom;
  readonly turn: TurnAnswer;
  readonly doing: Doing;
}) {
  const [thing, seen] = useSeen<HTMLDivElement>();
  const { data, error, refetch } = useRecorded(turn, seen);
  const { id, startedAt, input, channel, reply, state, tainted } = turn;
  const end = reply !== null ? "answered" : state === "running" ? "running" : "none";
  const told = reply !== null ? undefined : (data?.because ?? noAnswer[state]);
  const facts = { id, at: startedAt, input, channel, tainted, happened: data?.happened ?? [] };
  const failed = state === "failed" || state === "interrupted";
  return (
    <div ref={thing}>
      <Article whom={whom} of={{ ...facts, text: reply ?? "", end, told, failed }} doing={doing} />
      {error && <Trouble problem={error} again={() => refetch()} />}
    </div>
  );
});

function Article({ whom, of, doing }: { readonly whom: Whom; readonly of: Shown; readonly doing: Doing }) {
  const { id, at, input, channel, happened, text, end, told, failed } = of;
  return (
    <article aria-label={`Turn of ${timeText(at)}`} data-turn={id} className="space-y-2.5">
      <Asked input={input} channel={channel} />
      <Happenings whom={whom} of={happened} onDecided={doing.onDecided} />
      <div data-answer>
        {text !== "" && <Rendered text={text} />}
        {told && <p className={`text-sm [overflow-wrap:anywhere] ${failed ? "text-bad" : "text-soft"}`}>{told}</p>}
      </div>
      <p className="flex flex-wrap items-baseline gap-x-3 text-soft text-xs">
        <time dateTime={at}>{timeText(at)}</time>
        {of.tainted && <Badge tone="wait">foreign words</Badge>}
        {id !== undefined && (
          <Link href={placeOf(whom.agent, "turns", id)} className="underline hover:text-ink">
            what the model saw
          </Link>
        )}
        {end === "none" && input !== "" && channel === "web" && (
          <button
            type="button"
            className="font-medium text-accent underline"
            onClick={() => doing.onAgain(input, of.key)}
          >
            Say it again
          </button>
        )}
      </p>
      {end === "running" && id !== undefined && <Stop turn={id} />}
    </article>
  );
}

function Asked({ input, channel }: { readonly input: string; readonly channel: string | null }) {
  return <InputBubble about={channel !== "web" && <Badge>{channel ?? "a tool call"}</Badge>} text={input} />;
}

function Stop({ turn }: { readonly turn: string }) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [stopping, setStopping] = useState(false);
  const call = async () => {
    setStopping(true);
    try {
      await stop(turn);
    } catch (failed) {
      if (!(failed instanceof ApiProblem)) throw failed;
      setStopping(false);
      setProblem(failed);
    }
  };
  return (
    <>
      <Button disabled={stopping} onClick={call}>
        <span aria-hidden="true" className="size-2.5 rounded-xs bg-current" />
        Stop
      </Button>
      {problem && <Trouble problem={problem} />}
    </>
  );
}
