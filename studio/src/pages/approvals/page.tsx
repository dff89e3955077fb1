import type { ApprovalListAnswer } from "charter/answers";
import { useCallback, useMemo, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { AgentChoice } from "../../app/agents.tsx";
import { Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Choices } from "../../kit/field.tsx";
import { type Decision, Decisions } from "./decisions.tsx";
import { HeldItem } from "./held-item.tsx";
import { legend } from "./keys.ts";
import { OneHeld } from "./one-held.tsx";
import { useKeys } from "./use-keys.ts";
import { useLate } from "./use-late.ts";
import { type Status, statuses, waitingOf } from "./waiting.ts";

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
      hint="Changes, tool calls, permissions and tools that need your approval. What is waiting has not happened yet."
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
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {one === undefined && !data && !error && <Loading />}
      {items?.length === 0 && <Nothing status={status} />}
      {items && items.length > 0 && status === "waiting" && <Legend />}
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

function Legend() {
  return (
    <p className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs pointer-coarse:hidden">
      {legend.map(([keys, words]) => (
        <span key={keys}>
          {keys.split(" ").map((key) => (
            <kbd key={key} className="mr-1 rounded border border-line bg-card px-1 font-mono">
              {key}
            </kbd>
          ))}
          {words}
        </span>
      ))}
    </p>
  );
}
