import type { TurnAnswer } from "charter/answers";
import { memo } from "react";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { InputBubble } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import type { Happening } from "../../kit/unfold.ts";
import { useSeen } from "../../kit/window.ts";
import { timeText } from "../../kit/words.ts";
import { Happenings } from "./happenings.tsx";
import { useRecorded } from "./recorded.ts";
import { type Said, stop, type Whom } from "./talk.ts";
import { TurnFoot } from "./turn-foot.tsx";

export type Doing = {
  /** Says the words once more; what was never on record (`key`) goes. Undefined where nothing can be said. */
  readonly onRetry: ((words: string, key?: string) => void) | undefined;
  /** Something is being answered. */
  readonly busy: boolean;
  readonly onDecided: (goesOn: boolean) => void;
};

type Shown = {
  readonly id: string | undefined;
  readonly turn: TurnAnswer | undefined;
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
  turn: record,
  doing,
}: {
  readonly whom: Whom;
  readonly said: Said;
  /** The same on record, once it is listed. */
  readonly turn: TurnAnswer | undefined;
  readonly doing: Doing;
}) {
  const { ended, text, busy, happened, turn } = so;
  const stopped = ended === "stopped";
  const because = typeof ended === "object" ? ended.because : undefined;
  const end = ended === undefined ? "running" : ended === "answered" ? "answered" : "none";
  const told = because ?? (stopped ? "Stopped. What you wrote stays in the conversation." : busy);
  const tainted = record?.tainted ?? false;
  const facts = { id: turn, turn: record, at, input, channel: "web", tainted, happened, text, end, told } as const;
  const unrecorded = turn === undefined ? { key } : {};
  return <Article whom={whom} of={{ ...facts, ...unrecorded, failed: because !== undefined }} doing={doing} />;
});

const noAnswer: Readonly<Record<string, string>> = {
  running: "Still running…",
  failed: "No reply: the turn failed.",
  interrupted: "No reply: the process that ran the turn has stopped.",
  erased: "This turn was erased.",
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
  const facts = { id, turn, at: startedAt, input, channel, tainted, happened: data?.happened ?? [] };
  const failed = state === "failed" || state === "interrupted";
  return (
    <div ref={thing}>
      <Article whom={whom} of={{ ...facts, text: reply ?? "", end, told, failed }} doing={doing} />
      <Trouble problem={error} again={() => refetch()} />
    </div>
  );
});

function Article({ whom, of, doing }: { readonly whom: Whom; readonly of: Shown; readonly doing: Doing }) {
  const { id, at, input, channel, happened, text, end, told, failed } = of;
  // Words that came by themselves, or with files, are not said again by one press.
  const can = end !== "running" && input !== "" && channel === "web" && !hasFiles(of.turn);
  const onRetry = can ? doing.onRetry : undefined;
  return (
    <article
      aria-label={`Turn of ${timeText(at)}`}
      aria-busy={end === "running"}
      data-turn={id}
      className="space-y-2.5"
    >
      <Asked input={input} channel={channel} />
      <Happenings whom={whom} of={happened} onDecided={doing.onDecided} />
      <div data-answer>
        {text !== "" && <Rendered text={text} />}
        {told && <p className={`text-sm [overflow-wrap:anywhere] ${failed ? "text-bad" : "text-soft"}`}>{told}</p>}
      </div>
      <TurnFoot
        agent={whom.agent}
        id={id}
        at={at}
        turn={of.turn}
        tainted={of.tainted}
        reply={end === "answered" ? text : ""}
        onRetry={onRetry && (() => onRetry(input, of.key))}
        busy={doing.busy}
      />
      {end === "running" && id !== undefined && <Stop turn={id} />}
    </article>
  );
}

function hasFiles(turn: TurnAnswer | undefined): boolean {
  const files = (turn as { readonly attachments?: readonly unknown[] } | undefined)?.attachments;
  return files !== undefined && files.length > 0;
}

function Asked({ input, channel }: { readonly input: string; readonly channel: string | null }) {
  return <InputBubble about={channel !== "web" && <Badge>{channel ?? "a tool call"}</Badge>} text={input} />;
}

function Stop({ turn }: { readonly turn: string }) {
  const { busy, problem, run } = useAct();
  return (
    <>
      <Button disabled={busy} onClick={() => run(() => stop(turn))}>
        <span aria-hidden="true" className="size-2.5 rounded-xs bg-current" />
        Stop
      </Button>
      <Trouble problem={problem} />
    </>
  );
}
