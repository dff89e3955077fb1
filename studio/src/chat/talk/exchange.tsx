import type { TurnAnswer } from "charter/answers";
import { memo, type ReactNode } from "react";
import { LongText } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { whenText } from "../kit/when.ts";
import { AttachmentList } from "./attachment-list.tsx";
import { Happened } from "./happened.tsx";
import { SentFiles } from "./sent-files.tsx";
import type { Said } from "./talk.ts";

/** What was said here, and its answer as it comes. */
export const LiveExchange = memo(function LiveExchange({
  said: { text, files, at, reply },
  onAgain,
  onGoOn,
}: {
  readonly said: Said;
  readonly onAgain: () => void;
  readonly onGoOn: () => void;
}) {
  const { ended, busy } = reply;
  const told =
    typeof ended === "object"
      ? ended.failed
      : ended === "stopped"
        ? "Stopped. What you wrote stays in the conversation."
        : busy;
  const failed = typeof ended === "object";
  return (
    <Exchange at={at} asked={<Asked text={text} files={<AttachmentList of={files} />} any={files.length > 0} />}>
      <Happened of={reply.happened} onGoOn={onGoOn} />
      <Answer text={reply.text} />
      {told && <Told failed={failed} busy={ended === undefined} text={told} />}
      {ended !== undefined && ended !== "answered" && <Again onAgain={onAgain} />}
    </Exchange>
  );
});

const states: Readonly<Record<string, string>> = {
  running: "Still answering…",
  failed: "There was no answer.",
  interrupted: "The answer was interrupted.",
  erased: "This was deleted.",
};

/** Where it was said, if not here. */
const channels: Readonly<Record<string, string>> = {
  telegram: "In Telegram",
  scheduled: "Reminder",
  terminal: "In a terminal",
};

/** One that is on record. */
export const RecordedExchange = memo(function RecordedExchange({
  turn,
  onAgain,
}: {
  readonly turn: TurnAnswer;
  readonly onAgain: (text: string) => void;
}) {
  const { id, input, reply, state, startedAt, channel, told } = turn;
  const failed = state === "failed" || state === "interrupted";
  const from = channel === null ? undefined : channels[channel];
  const asked = told ? (
    <p className="text-soft text-xs [overflow-wrap:anywhere]">
      Reminder: <bdi>{told.schedule}</bdi>
    </p>
  ) : (
    <Asked text={input} from={from} files={<SentFiles turn={turn} />} any />
  );
  return (
    <Exchange at={told?.at ?? startedAt} asked={asked} turn={id}>
      <Answer text={reply ?? ""} />
      {reply === null && <Told failed={failed} busy={state === "running"} text={states[state] ?? ""} />}
      {failed && channel === "web" && input.trim() !== "" && <Again onAgain={() => onAgain(input)} />}
    </Exchange>
  );
});

function Exchange({
  at,
  asked,
  turn,
  children,
}: {
  readonly at: string;
  readonly asked: ReactNode;
  readonly turn?: string;
  readonly children: ReactNode;
}) {
  return (
    <article aria-label={`Message of ${whenText(at)}`} data-turn={turn} className="space-y-4">
      {asked}
      <div data-answer className="space-y-3">
        {children}
      </div>
    </article>
  );
}

function Asked({
  text,
  files,
  from,
  any,
}: {
  readonly text: string;
  readonly files: ReactNode;
  readonly from?: string | undefined;
  readonly any: boolean;
}) {
  return (
    <div data-asked className="ms-auto flex w-fit max-w-[88%] flex-col items-end gap-1">
      {from && <span className="px-2 text-soft text-xs">{from}</span>}
      {any && files}
      {text !== "" && (
        <div className="min-w-0 max-w-full rounded-3xl rounded-ee-md bg-raised px-4 py-2.5">
          <LongText text={text} max={2000} />
        </div>
      )}
    </div>
  );
}

function Answer({ text }: { readonly text: string }) {
  return text === "" ? null : <Rendered text={text} />;
}

function Told({ text, failed, busy }: { readonly text: string; readonly failed: boolean; readonly busy: boolean }) {
  if (busy)
    return (
      <p className="flex items-center gap-2 text-soft">
        <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
        {text}
      </p>
    );
  return <p className={`[overflow-wrap:anywhere] ${failed ? "text-bad" : "text-soft"}`}>{text}</p>;
}

function Again({ onAgain }: { readonly onAgain: () => void }) {
  return (
    <button type="button" onClick={onAgain} className="font-medium text-accent text-sm underline">
      Try again
    </button>
  );
}
