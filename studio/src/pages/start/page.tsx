import type { AgentAnswer } from "charter/answers";
import { Check } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { useFirstAgents, useListedAgent } from "../../app/agents.tsx";
import { AnsweredBy } from "../../app/cause.tsx";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { ChangeStep } from "./change-step.tsx";
import { type FirstStep, firstSteps, nextStep } from "./first-steps.ts";
import { remember, useRemembered } from "./remember.ts";
import { SayStep } from "./say-step.tsx";
import { SeeStep } from "./see-step.tsx";
import { agentOf, type First, useFirst } from "./use-first-facts.ts";

/** The first minute: say something, see it in the prompt, change it. */
export default function StartPage() {
  const { data, error } = useFirstAgents();
  const remembered = useRemembered();
  const { listed, isPending } = useListedAgent(remembered.agent);
  const agent =
    data && !isPending ? agentOf([...(listed ? [listed] : []), ...data.agents], remembered.agent) : undefined;
  const { first, problem } = useFirst(agent);
  useEffect(() => {
    if (agent !== undefined) remember(agent, {});
  }, [agent]);
  const trouble = error ?? problem;
  return (
    <Page title="First steps" about="Three steps, about a minute. Each really changes your agent, and is kept.">
      {trouble && <Trouble problem={trouble} />}
      {data && agent === undefined && (
        <Empty title="There is no agent yet">
          <TextLink href="/home?new=agent">Create an agent</TextLink>, then come back here.
        </Empty>
      )}
      {!trouble && !first && (!data || agent !== undefined) && <Loading />}
      {first && <Steps key={first.agent} first={first} />}
    </Page>
  );
}

function Steps({ first }: { readonly first: First }) {
  const { agent, facts } = first;
  const [, go] = useLocation();
  const about = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  const steps = firstSteps(facts);
  const next = nextStep(steps);
  const isDone = next === undefined;
  useEffect(() => {
    if (isDone) remember(agent, { ended: true });
  }, [agent, isDone]);
  const parts = { say: SayStep, see: SeeStep, change: ChangeStep };
  return (
    <div className="max-w-3xl">
      {about.data && (
        <div className="mb-4 text-sm">
          <AnsweredBy agent={agent} by={about.data.answersWith} />
        </div>
      )}
      <ol className="space-y-3">
        {steps.map((step, index) => {
          const Part = parts[step.name];
          return (
            <Step key={step.name} step={step} number={index + 1} isNext={step.name === next}>
              <Part first={first} isNext={step.name === next} />
            </Step>
          );
        })}
      </ol>
      <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Button
          kind={isDone ? "primary" : "plain"}
          onClick={() => {
            remember(agent, { ended: true });
            go("/home");
          }}
        >
          {isDone ? "Go to Agents" : "Skip these steps"}
        </Button>
        <p className="text-soft">
          {isDone ? "All three are done. " : ""}
          This page stays at <code>/start</code>.
        </p>
      </div>
    </div>
  );
}

function Step({
  step: { title, done },
  number,
  isNext,
  children,
}: {
  readonly step: FirstStep;
  readonly number: number;
  readonly isNext: boolean;
  readonly children: ReactNode;
}) {
  return (
    <li
      aria-current={isNext ? "step" : undefined}
      className={`flex gap-3 rounded-lg border bg-card p-4 ${isNext ? "border-accent" : "border-line"}`}
    >
      <span
        aria-hidden="true"
        className={`flex size-7 shrink-0 items-center justify-center rounded-full font-medium text-sm ${done ? "bg-good text-card" : isNext ? "bg-accent text-on-accent" : "bg-raised text-soft"}`}
      >
        {done ? <Icon of={Check} /> : number}
      </span>
      <div className="min-w-0 flex-1 space-y-2">
        <h2 className="font-medium">
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}
