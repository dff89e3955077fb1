import { Hand } from "../../kit/hand.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { plainJson } from "../../kit/text/plain-json.ts";
import { timeText } from "../../kit/words.ts";
import { Deciding } from "./deciding.tsx";
import type { Decision } from "./decisions.tsx";
import { HeldCard } from "./held-card.tsx";
import { NextTurn } from "./next-turn.tsx";
import type { HeldCall } from "./waiting.ts";

/** A call of a tool that waits: which, with what, and why. Once approved it is made with the next turn, not before. */
export function CallCard({
  agent,
  held,
  onDecided,
}: {
  readonly agent: string;
  readonly held: HeldCall;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { id, tool, input, reason, at, status, turn, scope, takenAt, endedAt, result } = held;
  const { user } = scope;
  const decided = { at: held.decidedAt, by: held.decidedBy, reason: held.decisionReason };
  return (
    <HeldCard
      {...{ agent, id, status, user, at, turn, decided }}
      title={<code className="text-[0.95em]">{tool}</code>}
      asked={
        <>
          <Hand actor="agent" />
          {status === "waiting" ? "wants" : "wanted"} to call this tool
        </>
      }
    >
      <p className="text-sm [overflow-wrap:anywhere]">{reason}</p>
      <Json label="With" value={input} />
      {status === "approved" && (
        <p className="text-sm">
          It is made <NextTurn agent={agent} user={user} />
        </p>
      )}
      {takenAt !== null && (
        <p className="text-sm text-soft">
          Called {timeText(takenAt)}
          {endedAt === null ? "" : `, over ${timeText(endedAt)}`}
        </p>
      )}
      {result !== null && result !== undefined && <Json label="Came to" value={result} />}
      {status === "waiting" && (
        <Deciding
          id={id}
          what={`the call of “${tool}”`}
          onApproved={() => onDecided({ id, user, kind: "call", tool })}
          onRejected={() => onDecided({ id, user, kind: "rejected", what: `the call of “${tool}”` })}
          onLate={() => onDecided({ id, user, kind: "late", what: `the call of “${tool}”` })}
        />
      )}
    </HeldCard>
  );
}

function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <div>
      <p className="mb-0.5 text-soft text-xs">{label}</p>
      <div className="rounded-md border border-line bg-paper px-3 py-2 font-mono text-[0.8rem] leading-5">
        <LongText text={typeof value === "string" ? value : plainJson(value)} />
      </div>
    </div>
  );
}
