import { Hand } from "../../kit/hand.tsx";
import { allowedOnce, askedIn, wishOf } from "../../kit/own-tool.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { plainJson } from "../../kit/text/plain-json.ts";
import { timeText } from "../../kit/words.ts";
import { Cause } from "./cause.tsx";
import { Deciding } from "./deciding.tsx";
import type { Decision } from "./decisions.tsx";
import { HeldCard } from "./held-card.tsx";
import { NextTurn } from "./next-turn.tsx";
import type { HeldCall } from "./waiting.ts";

/** A call of a tool that waits: which, with what, and why. Once approved it is made with the next turn, not before. */
export function CallCard({
  held,
  onDecided,
}: {
  readonly held: HeldCall;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { id, tool, asks, input, question, at, status, turn, scope, takenAt, endedAt, result, cause } = held;
  const wish = asks === undefined ? undefined : wishOf(asks);
  const { agent, user } = scope;
  const decided = { at: held.decidedAt, by: held.decidedBy, reason: held.decisionReason };
  const base = { id, agent, user };
  const what = wish === undefined ? `the call of “${tool}”` : `the permission to ${wish}`;
  return (
    <HeldCard
      {...{ agent, id, status, user, at, turn, decided }}
      title={asks === undefined ? <code className="text-[0.95em]">{tool}</code> : <bdi>{asks}</bdi>}
      asked={
        <>
          <Hand actor="agent" />
          {status === "waiting" ? "wants" : "wanted"} to{" "}
          {asks === undefined ? "call this tool" : "use a tool of its own, and needs your permission"}
        </>
      }
    >
      {asks === undefined ? (
        <>
          <p className="text-sm [overflow-wrap:anywhere]">{question.sentence}</p>
          <Cause agent={agent} user={user} cause={cause} />
          <Json label="Arguments" value={input} />
        </>
      ) : (
        <>
          <Cause agent={agent} user={user} cause={cause} />
          <Permission input={input} waits={status === "waiting"} />
        </>
      )}
      {status === "approved" && (
        <p className="text-sm">
          {asks === undefined ? "It runs" : "If the agent asks for the same again, it is allowed once,"}{" "}
          <NextTurn agent={agent} user={user} />
        </p>
      )}
      {takenAt !== null && (
        <p className="text-sm text-soft">
          {asks === undefined ? "Called" : "Told to the agent"} {timeText(takenAt)}
          {endedAt === null ? "" : `, ended ${timeText(endedAt)}`}
        </p>
      )}
      {result !== null && result !== undefined && <Json label="Result" value={result} />}
      {status === "waiting" && (
        <Deciding
          id={id}
          what={what}
          asks
          onApproved={() =>
            onDecided({ ...base, ...(wish === undefined ? { kind: "call", tool } : { kind: "permission", wish }) })
          }
          onRejected={() => onDecided({ ...base, kind: "rejected", what })}
          onLate={() => onDecided({ ...base, kind: "late", what })}
        />
      )}
    </HeldCard>
  );
}

/** What it was told, what a yes means, and all there is to know before saying one. */
function Permission({ input, waits }: { readonly input: unknown; readonly waits: boolean }) {
  const { paths, input: given } = askedIn(input);
  return (
    <>
      {waits && <p className="text-sm">It was refused for now. If you approve, it is {allowedOnce}.</p>}
      {paths.length > 0 && <Json label="Files" value={paths.join("\n")} />}
      {given === null ? (
        <p className="text-sm text-soft">It gave no arguments.</p>
      ) : (
        <Json label="Arguments" value={given} />
      )}
    </>
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
