import { useEffect, useRef } from "react";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { type PublicationOutcome, publicationWords } from "../../editor/publication-words.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count } from "../../kit/words.ts";
import { NextTurn } from "./next-turn.tsx";
import { focusNextTo } from "./use-keys.ts";

/** What was just decided here, and what comes of it. It stands on the page after the thing itself is gone from the list. */
export type Decision = { readonly id: string; readonly agent: string; readonly user: string | undefined } & (
  | {
      readonly kind: "amended";
      readonly section: string;
      readonly revision: number | undefined;
      /** What became of it where the section is also kept. */
      readonly publication: PublicationOutcome | undefined;
    }
  | { readonly kind: "call"; readonly tool: string }
  /** `wish`: what the agent asks leave for, in words. */
  | { readonly kind: "permission"; readonly wish: string }
  /** A tool of an MCP server. */
  | { readonly kind: "tool"; readonly what: string }
  | { readonly kind: "tool-rejected"; readonly what: string }
  | { readonly kind: "rejected"; readonly what: string }
  | { readonly kind: "late"; readonly what: string }
);

export function Decisions({ decisions }: { readonly decisions: readonly Decision[] }) {
  const told = useRef<HTMLDivElement>(null);
  // The button that was pressed goes with its card: whoever pressed it goes on with the next one, or else from here.
  useEffect(() => {
    const [last] = decisions;
    if (last && !focusNextTo(last.id)) told.current?.focus({ preventScroll: true });
  }, [decisions]);
  return (
    <div ref={told} role="status" tabIndex={-1}>
      {decisions.length > 0 && (
        <ul className="mb-4 space-y-1 rounded-lg border border-good/50 bg-card px-4 py-2.5 text-sm [overflow-wrap:anywhere]">
          {decisions.map((decision) => (
            <li key={decision.id}>
              <Says decision={decision} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Says({ decision }: { readonly decision: Decision }) {
  const { agent, user } = decision;
  if (decision.kind === "rejected")
    return <>Rejected: {decision.what}. The agent is told your reason if it asks again.</>;
  if (decision.kind === "tool") return <>Approved: {decision.what} is offered from the next turn on.</>;
  if (decision.kind === "tool-rejected")
    return <>Rejected: {decision.what} is not offered. If its server changes it, it waits here again.</>;
  if (decision.kind === "late")
    return (
      <>
        Someone else has already decided {decision.what}.{" "}
        <TextLink href={housePlaceOf("approvals", decision.id)}>See the decision</TextLink>
      </>
    );
  if (decision.kind === "call")
    return (
      <>
        Approved: <code>{decision.tool}</code> runs <NextTurn agent={agent} user={user} />
      </>
    );
  if (decision.kind === "permission")
    return (
      <>
        Approved: if the agent asks for “<bdi>{decision.wish}</bdi>” again, it is allowed once,{" "}
        <NextTurn agent={agent} user={user} />
      </>
    );
  const { publication } = decision;
  return (
    <>
      Approved: <TextLink href={placeOf(agent, "sections", decision.section, { user })}>“{decision.section}”</TextLink>{" "}
      {decision.revision === undefined ? "already says this" : `is at revision ${count(decision.revision)}`}, from the
      next prompt on. <TextLink href={placeOf(agent, "prompt", undefined, { user })}>See it</TextLink>
      {publication && <span className="block">{publicationWords(publication)}</span>}
    </>
  );
}
