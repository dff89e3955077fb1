import { Check, CircleAlert } from "lucide-react";
import { Icon } from "../../kit/icon.tsx";
import { textsOf } from "../../kit/text/diff.tsx";
import { addressOf } from "../app/place.ts";
import { Diff } from "../kit/diff.tsx";
import { Refusals } from "../kit/trouble.tsx";
import { HeldById } from "../waiting/held-card.tsx";
import type { Happening } from "./reply.ts";
import { toolWords } from "./tool-words.ts";

/** What the agent did besides answering, in plain words. */
export function Happened({
  of,
  onGoOn,
}: {
  readonly of: readonly Happening[];
  /** An action was approved: it is done with the next message. */
  readonly onGoOn: () => void;
}) {
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
      return of.running ? null : <Line done>{of.words}</Line>;
    case "aside":
      return (
        <p dir="auto" className="whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">
          {of.text}
        </p>
      );
    case "notice":
      return <p className="text-sm text-soft">{of.text}</p>;
    case "changed":
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
    case "refused":
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

function Line({ done, children }: { readonly done: boolean; readonly children: string }) {
  return (
    <p className="flex items-center gap-1.5 text-sm text-soft [overflow-wrap:anywhere]">
      <Icon of={done ? Check : CircleAlert} />
      {children}
    </p>
  );
}
