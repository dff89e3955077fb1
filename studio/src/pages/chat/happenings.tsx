import type { HistoryAnswer } from "charter/answers";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Refusals } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Icon } from "../../kit/icon.tsx";
import { OwnToolLine } from "../../kit/own-tool.tsx";
import { DiffView, textsOf } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import type { AmendmentHappening, Happening, ToolHappening } from "../../kit/unfold.ts";
import { HeldCard } from "./held-card.tsx";
import { glimpse, shown } from "./recorded.ts";
import type { Whom } from "./talk.ts";

type HappeningsProps = {
  readonly whom: Whom;
  readonly of: readonly Happening[];
  readonly onDecided: (goesOn: boolean) => void;
};

/** What happened in a turn besides its answer, each linked to its place. */
export function Happenings({ whom, of, onDecided }: HappeningsProps) {
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

type OneProps = { readonly whom: Whom; readonly of: Happening; readonly onDecided: (goesOn: boolean) => void };

function One({ whom, of, onDecided }: OneProps) {
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

const edges = { good: "border-s-good", bad: "border-s-bad", wait: "border-s-wait" } as const;

type Way = { readonly href: string; readonly words: string };

type CardProps = {
  readonly tone: keyof typeof edges;
  /** What it is, for whoever cannot see its colour. */
  readonly label: string;
  readonly title: ReactNode;
  readonly to: Way;
  /** Another place it can be seen at. */
  readonly also?: Way;
  readonly children?: ReactNode;
};

/** Something that happened to the prompt, in the flow: what, to which section or tool, and the way to its place. */
export function Card({ tone, label, title, to, also, children }: CardProps) {
  return (
    <section
      aria-label={label}
      className={`rounded-md border border-line border-s-4 bg-card px-3 py-2 text-sm ${edges[tone]}`}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="min-w-0 [overflow-wrap:anywhere]">{title}</p>
        <span className="flex flex-wrap gap-x-4">
          {[to, ...(also ? [also] : [])].map(({ href, words }) => (
            <Link key={words} href={href} className="whitespace-nowrap text-accent text-xs underline">
              {words}
            </Link>
          ))}
        </span>
      </div>
      {children}
    </section>
  );
}

/** Words of the prompt changed: which, how, what it cost. */
function AmendmentCard({ whom, of }: { readonly whom: Whom; readonly of: AmendmentHappening }) {
  const { section, revision, diff, says } = of;
  const nextTurn = { user: whom.user, channel: "web" };
  return (
    <Card
      tone="good"
      label="Amendment"
      title={
        <>
          <strong className="font-medium text-good">Amended</strong> “<bdi>{section}</bdi>”
          {revision !== undefined && `, revision ${revision}`}
        </>
      }
      to={{ href: placeOf(whom.agent, "sections", section, { user: whom.user }), words: "in Sections" }}
      also={{ href: placeOf(whom.agent, "prompt", undefined, { ...nextTurn, section }), words: "in the next prompt" }}
    >
      {diff === undefined ? (
        <FromHistory whom={whom} of={of} />
      ) : (
        <DiffView {...textsOf(diff)} max={12} className="mt-1.5" />
      )}
      {says && <p className="mt-1.5 text-soft text-xs">{says}</p>}
    </Card>
  );
}

/** Where nobody told what changed, the section's history knows. */
function FromHistory({ whom: { agent, user }, of: { section, revision } }: Parameters<typeof AmendmentCard>[0]) {
  const path = `/agents/${encodeName(agent)}/sections/${encodeName(section)}/history`;
  const { data } = useApi<HistoryAnswer>(
    revision === undefined ? undefined : withQuery(path, { user, before: revision + 1, limit: 1 }),
  );
  const found = data?.amendments.find((one) => one.revision === revision);
  if (!found || found.before === null || found.after === null) return null;
  return <DiffView before={found.before ?? ""} after={found.after ?? ""} max={12} className="mt-1.5" />;
}

const states: Readonly<Record<ToolHappening["state"], readonly [words: string, look: string]>> = {
  running: ["…", "text-soft"],
  done: ["done", "text-soft"],
  failed: ["failed", "text-bad"],
  refused: ["refused", "text-bad"],
  waits: ["waiting", "text-wait"],
};

/** A tool that was called: one quiet line, and what it was given and gave back behind it. */
function ToolCard({ of: { name, input, output, state } }: { readonly of: ToolHappening }) {
  const [open, setOpen] = useState(false);
  const [words, look] = states[state];
  return (
    <details
      className="group rounded-md border border-line text-xs open:bg-card"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex list-none items-baseline gap-2 rounded-md px-2.5 py-1.5 hover:bg-raised">
        <Icon of={ChevronRight} className="size-3.5 self-center text-soft group-open:rotate-90" />
        <code className="max-w-[60%] shrink-0 truncate font-medium">{name}</code>
        <bdi className="min-w-0 flex-1 truncate text-soft">{glimpse(input)}</bdi>
        <span className={look}>{words}</span>
      </summary>
      {open && (
        <div className="space-y-2 px-2.5 pb-2">
          <Side label="Input" text={shown(input)} />
          {output !== undefined && <Side label="Output" text={shown(output)} />}
        </div>
      )}
    </details>
  );
}

function Side({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <p className="text-soft">{label}</p>
      <LongText text={text} max={1500} className="rounded bg-raised px-2 py-1 font-mono" />
    </div>
  );
}
