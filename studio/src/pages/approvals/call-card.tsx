import { placeOf } from "../../app/place.ts";
import { Hand } from "../../kit/hand.tsx";
import { allowedOnce, askedIn, wishOf } from "../../kit/own-tool.tsx";
import { SideBySide } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { plainJson, visible } from "../../kit/text/plain-json.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { isCounterpart, shownName, timeText } from "../../kit/words.ts";
import { Cause } from "./cause.tsx";
import { Deciding, type Decision } from "./deciding.tsx";
import { type HeldCall, HeldCard, type HeldTool } from "./held-card.tsx";

/** A call of a tool that waits: which, with what, and why. Once approved it is made with the next turn, not before. */
export function CallCard({
  held,
  onDecided,
}: {
  readonly held: HeldCall;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { id, tool, asks, input, question, at, status, turn, scope, takenAt, endedAt, result, cause, mine } = held;
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
          mine={mine}
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

/** A tool of an MCP server that is not offered before a person has read what its server says of it. */
export function ToolCard({
  held,
  onDecided,
}: {
  readonly held: HeldTool;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { id, agent, server, tool, at, status, definition, reasons, others = [] } = held;
  const waits = status === "waiting";
  const all = [held, ...others];
  const name = all.length === 1 ? visible(tool) : `${all.length} tools`;
  const what = all.length === 1 ? `the tool “${name}” of “${server}”` : `${name} of “${server}”`;
  const decided = { at: held.decidedAt, by: held.decidedBy, reason: held.decisionReason };
  const base = { id, agent, user: undefined, what };
  return (
    <HeldCard
      {...{ agent, id, at, decided }}
      status={status === "pinned" ? "approved" : status}
      user={undefined}
      turn={null}
      title={<code className="text-[0.95em]">{name}</code>}
      asked={
        <span className="[overflow-wrap:anywhere]">
          {all.length === 1 ? "a tool" : "first seen together, tools"} of the MCP server “{server}”
          {waits ? `, not offered until you approve ${all.length === 1 ? "it" : "them"}` : ""}
        </span>
      }
    >
      {waits && definition !== null && <p className="text-sm">Its description has changed.</p>}
      {reasons.length > 0 && (
        <ul className="list-disc pl-5 text-sm [overflow-wrap:anywhere]">
          {reasons.map((reason) => (
            <li key={reason}>{visible(reason)}</li>
          ))}
        </ul>
      )}
      {all.map((one) => (
        <div key={one.tool} className="space-y-1">
          {all.length > 1 && <code className="text-sm [overflow-wrap:anywhere]">{visible(one.tool)}</code>}
          <SideBySide
            before={definitionText(one.definition)}
            after={definitionText(one.nextDefinition ?? one.definition)}
            names={["Before", one.nextDefinition === null ? "Current" : "As its server describes it now"]}
          />
        </div>
      ))}
      {waits && (
        <Deciding
          id={id}
          what={what}
          asks
          hint="It is kept with the decision."
          onApproved={() => onDecided({ ...base, kind: "tool" })}
          onRejected={() => onDecided({ ...base, kind: "tool-rejected" })}
          onLate={() => onDecided({ ...base, kind: "late" })}
        />
      )}
    </HeldCard>
  );
}

/** What a server says of a tool, on lines, with nothing in it that hides. Of one that was never offered: nothing. */
export function definitionText(definition: string | null): string {
  if (definition === null) return "";
  const { description, ...rest } = JSON.parse(definition) as Readonly<Record<string, unknown>>;
  return plainJson(typeof description === "string" ? { description: description.split("\n"), ...rest } : rest);
}

/** With which turn a call is made, and where that is taken: who writes letters has no chat, and needs to write nothing more. */
export function NextTurn({ agent, user }: { readonly agent: string; readonly user: string | undefined }) {
  if (user !== undefined && isCounterpart(user))
    return (
      <>
        with the next turn about “<bdi>{shownName(user)}</bdi>”. It starts on its own.
      </>
    );
  return (
    <>
      with the next turn{user === undefined ? "" : ` of “${user}”`}.{" "}
      <TextLink href={placeOf(agent, "chat", undefined, { user })}>Open the chat</TextLink>
    </>
  );
}
