import { Refusals } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { OwnToolLine } from "../../kit/own-tool.tsx";
import { AmendmentCard } from "./amendment-card.tsx";
import { Card } from "./card.tsx";
import type { Happening } from "./happening.ts";
import { HeldCard } from "./held-card.tsx";
import type { Whom } from "./talk.ts";
import { ToolCard } from "./tool-card.tsx";

/** What happened in a turn besides its answer, each linked to its place. */
export function Happenings({
  whom,
  of,
  onDecided,
}: {
  readonly whom: Whom;
  readonly of: readonly Happening[];
  readonly onDecided: (goesOn: boolean) => void;
}) {
  if (of.length === 0) return null;
  return (
    <div className="space-y-2">
      {of.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what happened stays where it is.
        <One key={index} whom={whom} of={one} onDecided={onDecided} />
      ))}
    </div>
  );
}

function One({
  whom,
  of,
  onDecided,
}: {
  readonly whom: Whom;
  readonly of: Happening;
  readonly onDecided: (goesOn: boolean) => void;
}) {
  switch (of.kind) {
    case "tool":
      return <ToolCard of={of} />;
    case "aside":
      return (
        <p dir="auto" className="whitespace-pre-wrap text-sm text-soft italic [overflow-wrap:anywhere]">
          {of.text}
        </p>
      );
    case "notice":
      return (
        <p className="text-sm text-soft [overflow-wrap:anywhere]">
          <code className="text-wait">{of.code}</code> {of.message}
        </p>
      );
    case "amendment":
      return <AmendmentCard whom={whom} of={of} />;
    case "refusal":
      return (
        <Card
          tone="bad"
          label="Refusal"
          title={
            <>
              <strong className="font-medium text-bad">Refused</strong> “<bdi>{of.section}</bdi>” stays as it is.
            </>
          }
          to={{ href: placeOf(whom.agent, "sections", of.section, { user: whom.user }), words: "in Sections" }}
        >
          <Refusals refusals={of.refusals} />
        </Card>
      );
    case "own-tool":
      return (
        <section aria-label="A tool of the agent’s own" className="rounded-md border border-line border-dashed text-xs">
          <OwnToolLine of={of.tool} />
        </section>
      );
    case "permission":
      return (
        <p className="text-sm text-soft [overflow-wrap:anywhere]">
          The agent <bdi>{of.asks}</bdi>:{" "}
          <span className={of.answer === "deny" ? "text-bad" : "text-good"}>
            {of.answer === "deny" ? "not allowed" : "allowed once"}
          </span>
        </p>
      );
    case "held":
      return <HeldCard of={of} onDecided={onDecided} />;
  }
}
