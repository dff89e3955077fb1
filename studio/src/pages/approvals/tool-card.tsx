import { SideBySide } from "../../kit/text/diff.tsx";
import { visible } from "../../kit/text/plain-json.ts";
import { Deciding } from "./deciding.tsx";
import type { Decision } from "./decisions.tsx";
import { HeldCard } from "./held-card.tsx";
import { definitionText } from "./tool-definition.ts";
import type { HeldTool } from "./waiting.ts";

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
