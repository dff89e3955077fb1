import type { HistoryAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { useApi } from "../../../api/query-client.ts";
import { type ApiProblem, encodeName, withQuery } from "../../../api/request.ts";
import { Loading, type Refusal, Refusals } from "../../../app/page.tsx";
import { housePlaceOf } from "../../../app/place.ts";
import { ToSection } from "../../../billing/links.tsx";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import { type Actor, Hand } from "../../../kit/hand.tsx";
import { askedIn, heldName, isPermission } from "../../../kit/own-tool.tsx";
import { DiffView } from "../../../kit/text/diff.tsx";
import { LongText } from "../../../kit/text/long-text.tsx";
import { plainJson } from "../../../kit/text/plain-json.ts";
import { TextLink } from "../../../kit/text-link.tsx";
import type { TurnEvent } from "./record.ts";

type Detail = {
  readonly section?: string;
  readonly operation?: string;
  readonly actor?: Actor;
  readonly revision?: number;
  readonly refusals?: readonly Refusal[];
  readonly held?: string;
  readonly tool?: string;
  readonly because?: string;
  readonly says?: string;
};

const shown: Readonly<Record<string, "amended" | "refused" | "held">> = {
  amended: "amended",
  "amendment-refused": "refused",
  "amendment-held": "held",
  "tool-held": "held",
  "picture-claimed": "amended",
};

/** Whether an event is shown in the timeline. */
export const isTold = ({ kind }: TurnEvent): boolean => kind in shown;

/** Amended, refused or held: what in a line, and with it its difference or its reason, and where it stands. */
export function Happened(props: {
  readonly agent: string;
  readonly event: TurnEvent;
  readonly children: (title: ReactNode, body: ReactNode) => ReactNode;
}) {
  const { agent, event, children } = props;
  const { kind, scope } = event;
  const detail = event.detail as Detail;
  const { section, actor, revision, refusals, held, tool, because = detail.says } = detail;
  const isAsked = tool !== undefined && isPermission(tool);
  return children(
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <MarkIcon kind={shown[kind] ?? "held"} />
      {actor && <Hand actor={actor} />}
      <span>{isAsked ? "The agent asked for permission to" : says[kind]}</span>
      {section !== undefined && <ToSection agent={agent} section={section} user={scope.user} revision={revision} />}
      {tool !== undefined && (isAsked ? <span>{heldName(tool)}</span> : <code>{tool}</code>)}
      {revision !== undefined && <span className="font-normal text-soft">revision {revision}</span>}
      {held !== undefined && <TextLink href={housePlaceOf("approvals", held)}>See it</TextLink>}
    </span>,
    <div className="text-sm">
      <Refusals refusals={kind === "amendment-held" ? refusals?.map(holding) : refusals} />
      {because !== undefined && !isAsked && <p className="[overflow-wrap:anywhere]">{because}</p>}
      {kind === "amended" && section !== undefined && revision !== undefined && (
        <Amended agent={agent} section={section} revision={revision} user={scope.user} />
      )}
      {held !== undefined && <HeldOne id={held} />}
    </div>,
  );
}

/** What a person is asked for is no objection. */
const holding = (refusal: Refusal): Refusal => ({ ...refusal, holds: true });

const says: Readonly<Record<string, string>> = {
  amended: "amended",
  "amendment-refused": "was refused a change of",
  "amendment-held": "asked for a change of",
  "tool-held": "A tool call waits for approval:",
  "picture-claimed": "The user said that the picture is their own, so nothing is asked because of it.",
};

type AmendedProps = {
  readonly agent: string;
  readonly section: string;
  readonly revision: number;
  readonly user: string | undefined;
};

function Amended({ agent, section, revision, user }: AmendedProps) {
  const path = `/agents/${encodeName(agent)}/sections/${encodeName(section)}/history`;
  const { data, error } = useApi<HistoryAnswer>(withQuery(path, { user, limit: 1, before: revision + 1 }));
  const found = data?.amendments.find((one) => one.revision === revision);
  if (error) return <Gone problem={error} />;
  if (!data) return <Loading />;
  if (!found) return <p className="text-soft">This revision is not on record any more.</p>;
  if (found.before === null || found.after === null) return <p className="text-soft">Its text was erased.</p>;
  return (
    <>
      {found.reason !== null && (
        <p dir="auto" className="mb-1 text-soft [overflow-wrap:anywhere]">
          Because: {found.reason}
        </p>
      )}
      <DiffView before={found.before} after={found.after} max={30} />
    </>
  );
}

type HeldOne = {
  readonly status: string;
  readonly before?: string;
  readonly after?: string;
  readonly input?: unknown;
  readonly asks?: string;
};

function HeldOne({ id }: { readonly id: string }) {
  const { data, error } = useApi<HeldOne>(`/approvals/${encodeName(id)}`);
  if (error) return <Gone problem={error} />;
  if (!data) return <Loading />;
  return (
    <>
      <p className="mb-1 text-soft">
        {data.status === "waiting" ? "Still waiting for approval." : `Since then: ${data.status}.`}
      </p>
      {data.before !== undefined && data.after !== undefined && (
        <DiffView before={data.before} after={data.after} max={30} />
      )}
      {data.asks !== undefined && <p className="[overflow-wrap:anywhere]">It {data.asks}</p>}
      {data.input !== undefined && (
        <LongText
          text={plainJson(data.asks === undefined ? data.input : askedIn(data.input).input)}
          className="font-mono text-[0.8rem]"
        />
      )}
    </>
  );
}

function Gone({ problem }: { readonly problem: ApiProblem }) {
  return <p className="text-soft [overflow-wrap:anywhere]">{problem.message}</p>;
}
