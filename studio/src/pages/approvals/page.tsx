import type { ApprovalListAnswer } from "charter/answers";
import { useCallback, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { Pager, useStretch } from "../../app/pager.tsx";
import { useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Choices } from "../../kit/choices.tsx";
import { CallCard } from "./call-card.tsx";
import { type Decision, Decisions } from "./decisions.tsx";
import { OneHeld } from "./one-held.tsx";
import { ProposalCard } from "./proposal-card.tsx";
import { ToolCard } from "./tool-card.tsx";
import { type Status, statuses, waitingOf } from "./waiting.ts";

const size = 20;

/** What waits for a person, oldest first, and what was decided before (`?status=`). One of them: `/approvals/<id>`. */
export default function ApprovalsPage() {
  const { agent, one } = usePlace();
  const [asked, setAsked] = useAsked();
  const user = asked("user");
  const status = statuses.find(([name]) => name === asked("status"))?.[0] ?? "waiting";
  const { from, ...stretch } = useStretch(size);
  const path = withQuery("/approvals", { agent, user, status, ...stretch });
  const { data, error, refetch } = useApi<ApprovalListAnswer>(one === undefined ? path : undefined);
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const decided = useCallback((decision: Decision) => setDecisions((before) => [decision, ...before]), []);
  const items = data && waitingOf(data);
  return (
    <Page
      title="Approvals"
      about="Proposals no guard refused, calls of tools, permissions an agent asks for, and tools of MCP servers, that a person must approve. Nothing of them has happened yet."
    >
      <Decisions agent={agent} decisions={decisions} />
      {one !== undefined && <OneHeld agent={agent} id={one} onDecided={decided} />}
      {one === undefined && (
        <div className="mb-4 flex flex-wrap items-end gap-3">
          <Choices
            label="What became of them"
            of={statuses}
            chosen={status}
            onChoose={(chosen: Status) =>
              setAsked({ status: chosen === "waiting" ? undefined : chosen, from: undefined }, { replace: false })
            }
          />
          <UserChoice
            agent={agent}
            user={user}
            onUser={(chosen) => setAsked({ user: chosen, from: undefined })}
            label="Of which user"
            nobody="everyone"
            className="w-48"
          />
        </div>
      )}
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {one === undefined && !data && !error && <Loading />}
      {items?.length === 0 && <Nothing status={status} />}
      <ol className="space-y-4">
        {items?.map((item) =>
          item.proposal ? (
            <ProposalCard key={item.id} agent={agent} held={item.proposal} onDecided={decided} />
          ) : item.call ? (
            <CallCard key={item.id} agent={agent} held={item.call} onDecided={decided} />
          ) : (
            <ToolCard key={item.id} agent={agent} held={item.tool} onDecided={decided} />
          ),
        )}
      </ol>
      {data && (
        <Pager
          from={from}
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
  if (status !== "waiting") return <Empty title={`Nothing here is ${status}`} />;
  return (
    <Empty title="Nothing waits for you">
      When foreign words are in a turn, what it would change or do waits here for a person’s yes.
    </Empty>
  );
}
