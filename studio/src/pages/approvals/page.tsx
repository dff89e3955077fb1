import type { ApprovalListAnswer } from "charter/answers";
import { useCallback, useMemo, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { AgentChoice } from "../../app/agents.tsx";
import { Answered, Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { housePlaceOf, useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Choices } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { type Decision, Decisions, useKeys, useLate } from "./deciding.tsx";
import {
  type HeldCall,
  HeldItem,
  type HeldProposal,
  type HeldTool,
  type Status,
  statuses,
  waitingOf,
} from "./held-card.tsx";

const size = 20;

/** What waits for a person, oldest first, of all agents or one; what was decided before (`?status=`); one: `/approvals/<id>`. */
export default function ApprovalsPage() {
  const { one } = usePlace();
  const [asked, setAsked] = useAsked();
  const agent = asked("agent");
  const user = asked("user");
  const status = statuses.find(([name]) => name === asked("status"))?.[0] ?? "waiting";
  const { from, ...stretch } = useStretch(size);
  const path = withQuery("/approvals", { agent, user, status, ...stretch });
  const { data, error, refetch, isPlaceholderData } = useApi<ApprovalListAnswer>(one === undefined ? path : undefined);
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const decided = useCallback(
    (decision: Decision) => setDecisions((before) => [decision, ...before.filter(({ id }) => id !== decision.id)]),
    [],
  );
  const items = useMemo(() => data && waitingOf(data), [data]);
  useLate(path, isPlaceholderData ? undefined : items, decided);
  useKeys();
  return (
    <Page
      title="Approvals"
      waiting={status === "waiting" ? (data?.total ?? 0) : 0}
      hint="Changes, tool calls, permissions and tools that need your approval. What is waiting has not happened yet. By keyboard: j and k move, a approves, e edits, r rejects."
    >
      <Decisions decisions={decisions} />
      {one !== undefined && <OneHeld id={one} onDecided={decided} />}
      {one === undefined && (
        <div className="mb-4 flex flex-wrap items-end gap-3">
          <Choices
            label="Status"
            of={statuses}
            chosen={status}
            onChoose={(chosen: Status) =>
              setAsked({ status: chosen === "waiting" ? undefined : chosen, from: undefined }, { replace: false })
            }
          />
          <div className="block min-w-0">
            <span className="mb-1 block text-soft text-xs">Agent</span>
            <AgentChoice
              agent={agent}
              label="Agent of the approvals"
              onChoose={(chosen) => setAsked({ agent: chosen?.name, from: undefined })}
            />
          </div>
          <UserChoice
            agent={agent}
            user={user}
            onUser={(chosen) => setAsked({ user: chosen, from: undefined })}
            label="User"
            nobody="everyone"
            className="w-48"
          />
        </div>
      )}
      <Trouble problem={error} again={() => void refetch()} />
      {one === undefined && !data && !error && <Loading />}
      {items?.length === 0 && <Nothing status={status} />}
      <ol className="space-y-4">
        {items?.map((item) => (
          <HeldItem key={item.id} held={item} onDecided={decided} />
        ))}
      </ol>
      {data && (
        <Pager
          from={from}
          isBefore={isPlaceholderData}
          shown={Math.max(data.proposals.length, data.calls.length, data.tools.length)}
          size={size}
          more={data.more}
          words={["Older", "Newer"]}
        />
      )}
    </Page>
  );
}

function Nothing({ status }: { readonly status: Status }) {
  if (status !== "waiting") return <Empty title={`Nothing is ${status}`} />;
  return (
    <Empty title="Nothing to approve">
      When untrusted text is in a turn, what the agent wants to change or do waits here for your approval.
    </Empty>
  );
}

type OneHeldProps = { readonly id: string; readonly onDecided: (decision: Decision) => void };

/** One of what waits, or waited, by its id. */
export function OneHeld({ id, onDecided }: OneHeldProps) {
  const answer = useApi<HeldProposal | HeldCall | HeldTool>(`/approvals/${encodeName(id)}`);
  return (
    <>
      <p className="mb-3 text-sm">
        <TextLink href={housePlaceOf("approvals")}>All approvals</TextLink>
      </p>
      <Answered of={answer}>
        {(held) => (
          <ol>
            <HeldItem key={held.id} held={held} onDecided={onDecided} />
          </ol>
        )}
      </Answered>
    </>
  );
}
