import type { AgentListAnswer, ApprovalListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { Pager, useStretch } from "../../app/pager.tsx";
import { useAsked } from "../../app/place.ts";
import { Button } from "../../kit/button.tsx";
import { AgentCard } from "./agent-card.tsx";
import { NewAgent } from "./new-agent.tsx";
import { SetUp } from "./set-up.tsx";

const size = 20;

/** Every agent, its charter drawn as floors. `?new=` opens the form for another, `?set-up=ada` that of one there is. */
export default function AgentsPage() {
  const [asked, setAsked] = useAsked();
  const { from, ...stretch } = useStretch(size);
  const { data, error, refetch } = useApi<AgentListAnswer>(withQuery("/agents", stretch));
  const waiting = useApi<ApprovalListAnswer>(withQuery("/approvals", { limit: 1000 })).data;
  const setUp = data?.agents.find(({ name }) => name === asked("set-up"));
  const close = () => setAsked({ new: undefined, "set-up": undefined });
  return (
    <Page
      title="Agents"
      about="Each agent’s charter as a building: the first layer is the ground all others stand on. A room is a section; its colour says who may change the words in it."
      actions={
        <Button kind="primary" onClick={() => setAsked({ new: "agent" }, { replace: false })}>
          New agent
        </Button>
      }
    >
      <Legend />
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.agents.length === 0 && (
        <Empty title={from === 0 ? "There is no agent yet" : "No agents so far down the list"}>
          An agent is a charter, a model and its settings. “New agent” makes one.
        </Empty>
      )}
      {data && (
        <ul className="columns-1 gap-4 md:columns-2 2xl:columns-3">
          {data.agents.map((agent) => (
            <AgentCard key={agent.name} agent={agent} waiting={countOf(agent.name, waiting)} />
          ))}
        </ul>
      )}
      {data && (
        <Pager from={from} shown={data.agents.length} size={size} more={data.more} words={["Before", "After"]} />
      )}
      <NewAgent open={asked("new") !== undefined} onClose={close} />
      {setUp && <SetUp key={setUp.name} agent={setUp} onClose={close} />}
    </Page>
  );
}

/** How much of an agent waits for a person. */
function countOf(agent: string, waiting: ApprovalListAnswer | undefined): number {
  if (!waiting) return 0;
  const agents = [...waiting.proposals, ...waiting.calls].map(({ scope }) => scope.agent);
  return [...agents, ...waiting.tools.map((tool) => tool.agent)].filter((one) => one === agent).length;
}

const colours = [
  ["bg-fixed", "fixed: nobody, while it runs"],
  ["bg-amendable", "amendable, by whom its floor says"],
  ["bg-live", "live: made afresh each turn"],
] as const;

function Legend() {
  return (
    <ul className="mb-4 flex flex-wrap gap-x-5 gap-y-1 text-soft text-xs">
      {colours.map(([colour, says]) => (
        <li key={colour} className="flex items-center gap-1.5">
          <span className={`size-2.5 rounded-sm ${colour}`} />
          {says}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span className="size-1.5 rounded-full bg-amendable-ink" /> amended since it was born
      </li>
    </ul>
  );
}
