import type { TurnAnswer } from "charter/answers";
import { Check, CircleAlert } from "lucide-react";
import { memo, type ReactNode } from "react";
import { Icon } from "../../kit/icon.tsx";
import { isOver } from "../../kit/own-tool.tsx";
import { textsOf } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import type { Happening, ToolHappening } from "../../kit/unfold.ts";
import { addressOf } from "../app/place.ts";
import { Diff } from "../kit/diff.tsx";
import { Refusals, whenText } from "../kit/page.tsx";
import { HeldById } from "../waiting/page.tsx";
import { AttachmentList, SentFiles } from "./attachment.tsx";
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
      ? ended.because
      : ended === "stopped"
        ? "Stopped. What you wrote stays in the conversation."
        : busy;
  const failed = typeof ended === "object";
  return (
    <Exchange
      at={at}
      asked={<Asked text={text} files={<AttachmentList of={files} />} any={files.length > 0} />}
      busy={ended === undefined}
    >
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
    <Exchange at={told?.at ?? startedAt} asked={asked} turn={id} busy={state === "running"}>
      <Answer text={reply ?? ""} />
      {reply === null && <Told failed={failed} busy={state === "running"} text={states[state] ?? ""} />}
      {failed && channel === "web" && input.trim() !== "" && <Again onAgain={() => onAgain(input)} />}
    </Exchange>
  );
});

type ExchangeProps = {
  readonly at: string;
  readonly asked: ReactNode;
  readonly turn?: string;
  /** The answer is still on its way. */
  readonly busy: boolean;
  readonly children: ReactNode;
};

function Exchange({ at, asked, turn, busy, children }: ExchangeProps) {
  return (
    <article aria-label={`Message of ${whenText(at)}`} aria-busy={busy} data-turn={turn} className="space-y-4">
      {asked}
      <div data-answer className="space-y-3">
        {children}
      </div>
    </article>
  );
}

type AskedProps = {
  readonly text: string;
  readonly files: ReactNode;
  readonly from?: string | undefined;
  readonly any: boolean;
};

function Asked({ text, files, from, any }: AskedProps) {
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

type HappenedProps = {
  readonly of: readonly Happening[];
  /** An action was approved: it is done with the next message. */
  readonly onGoOn: () => void;
};

/** What the agent did besides answering, in plain words. */
export function Happened({ of, onGoOn }: HappenedProps) {
  if (of.length === 0) return null;
  return (
    <div className="space-y-2">
      {of.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what happened stays where it is.
        <One key={index} of={one} onGoOn={onGoOn} />
      ))}
    </div>
  );
}

function One({ of, onGoOn }: { readonly of: Happening; readonly onGoOn: () => void }) {
  switch (of.kind) {
    case "tool":
      // What is under way is said below; what waits or was refused has a card of its own.
      if (of.state !== "done" && of.state !== "failed") return null;
      return <Line done={of.state === "done"}>{toolWords(of.name, of.state)}</Line>;
    case "own-tool":
      return isOver(of.tool) ? <Line done>{kindWords(of.tool.kind)}</Line> : null;
    case "aside":
      return (
        <p dir="auto" className="whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">
          {of.text}
        </p>
      );
    case "notice":
      return <Notice {...of} />;
    case "permission":
      return null;
    case "amendment":
      return (
        <section aria-label="Changed" className="rounded-xl border border-line bg-card p-3">
          <p className="mb-2 flex flex-wrap justify-between gap-x-4 text-sm">
            <span>
              Your <bdi>{of.section}</bdi> were changed.
            </span>
            <a href={addressOf.page("instructions")} className="text-accent underline">
              See and undo
            </a>
          </p>
          {of.diff && <Diff {...textsOf(of.diff)} max={12} />}
        </section>
      );
    case "refusal":
      return (
        <section aria-label="Not changed" className="rounded-xl border border-line bg-card p-3 text-sm">
          <p className="mb-1">
            Your <bdi>{of.section}</bdi> stay as they are.
          </p>
          <Refusals of={of.refusals} />
        </section>
      );
    case "held":
      return <HeldById id={of.held} onGoOn={onGoOn} />;
  }
}

/** Notices that say something to whoever reads the answer, in words of ours; that of own words says which they are. */
const notices: Readonly<Record<string, string>> = {
  "answer-cut": "The answer was cut off: it became too long.",
  compacted: "Earlier messages were summarised or left out to make room.",
  tainted: "This answer uses text or files that may be from somebody else. Changes it leads to wait for your approval.",
  unchanged: "Nothing was changed: it already says this.",
};

export function Notice({ code, message }: { readonly code: string; readonly message: string }) {
  const words = code === "own-words" ? message : notices[code];
  return words === undefined ? null : <p className="text-sm text-soft">{words}</p>;
}

function Line({ done, children }: { readonly done: boolean; readonly children: string }) {
  return (
    <p className="flex items-center gap-1.5 text-sm text-soft [overflow-wrap:anywhere]">
      <Icon of={done ? Check : CircleAlert} />
      {children}
    </p>
  );
}

/** What the agent does when it uses a tool, said while it does and afterwards. */
const known: Readonly<Record<string, readonly [doing: string, done: string]>> = {
  save_memory: ["Saving a note", "Saved a note"],
  update_memory: ["Changing a note", "Changed a note"],
  read_memory: ["Looking through your notes", "Looked through your notes"],
  forget_memory: ["Deleting a note", "Deleted a note"],
  update_instructions: ["Changing your instructions", "Worked on your instructions"],
  set_reminder: ["Setting a reminder", "Set a reminder"],
  list_reminders: ["Looking at your reminders", "Looked at your reminders"],
  cancel_reminder: ["Cancelling a reminder", "Cancelled a reminder"],
  set_time_zone: ["Setting your time zone", "Set your time zone"],
};

export function toolWords(tool: string, state: ToolHappening["state"]): string {
  const name = tool.replace(/[_-]+/g, " ");
  const [doing, done] = known[tool] ?? [`Using “${name}”`, `Used “${name}”`];
  if (state === "running") return `${doing}…`;
  if (state === "done") return done;
  if (state === "waits") return `${doing}: waits for your approval`;
  return `${doing}: ${state === "refused" ? "not allowed" : "did not work"}`;
}

/** Of an agent that has tools of its own, only the kind is told. */
const kinds: Readonly<Record<string, string>> = {
  read: "Reading",
  edit: "Writing",
  delete: "Deleting",
  move: "Moving files",
  search: "Searching",
  execute: "Running a command",
  fetch: "Reading a web page",
  think: "Thinking",
};

export const kindWords = (kind: string): string => kinds[kind] ?? "Using a tool";
