import type { ApprovalListAnswer } from "charter/answers";
import { refresh, useRead } from "../api/read.ts";
import { Empty, Loading, Page } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { HeldCard } from "./held-card.tsx";

/** What the agent may not do without this user's yes. */
export function WaitingPage() {
  const { data, problem } = useRead<ApprovalListAnswer>("/api/approvals?limit=100");
  const all = [...(data?.proposals ?? []), ...(data?.calls ?? [])].sort((a, b) => a.at.localeCompare(b.at));
  return (
    <Page title="Waiting for you" about="Some things need your approval first. Each is listed here, with the reason.">
      {problem && <Trouble problem={problem} again={refresh} />}
      {!data && !problem && <Loading />}
      {data && all.length === 0 && (
        <Empty title="Nothing is waiting">When the assistant needs your approval, it is shown here.</Empty>
      )}
      <div className="space-y-4">
        {all.map((one) => (
          <HeldCard key={one.id} of={one} />
        ))}
      </div>
    </Page>
  );
}
