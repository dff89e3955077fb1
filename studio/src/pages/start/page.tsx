import type { AgentAnswer, ToolListAnswer } from "charter/answers";
import { Check } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { useFirstAgents, useListedAgent } from "../../app/agents.tsx";
import { AnsweredBy } from "../../app/cause.tsx";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { cacheRuleOf, placedSections } from "../../assembly/assembled.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import { LatestChangeCard, useLatestChange } from "../../cause/latest-change.tsx";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { plural } from "../../kit/words.ts";
import { Strata } from "../../strata/strata.tsx";
import { say, triesWith, useTalk } from "../chat/talk.ts";
import {
  agentOf,
  type Effect,
  type First,
  type FirstStep,
  firstSteps,
  nextStep,
  remember,
  useFirst,
  useRemembered,
} from "./first-steps.tsx";

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
      <Trouble problem={trouble} />
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
            <Step key={step.name} step={step} number={index + 1} isNext={step === next}>
              <Part first={first} isNext={step === next} />
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
          {isDone ? "Go to Home" : "Skip these steps"}
        </Button>
        <p className="text-soft">
          {isDone ? "All three are done. " : ""}
          This page stays at <code>/start</code>.
        </p>
      </div>
    </div>
  );
}

type StepProps = {
  readonly step: FirstStep;
  readonly number: number;
  readonly isNext: boolean;
  readonly children: ReactNode;
};

function Step({ step: { title, done }, number, isNext, children }: StepProps) {
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

/** Something is said to the agent, here: a turn, as in Chat. */
export function SayStep({ first: { agent, user, lastTurn, facts } }: { readonly first: First }) {
  const tools = useApi<ToolListAnswer>(`/agents/${encodeName(agent)}/tools`);
  const suggested =
    tools.data || tools.error ? triesWith((tools.data?.tools ?? []).map(({ name }) => name))[0] : undefined;
  const [typed, setTyped] = useState<string>();
  const said = useTalk({ agent, user }).said.at(-1);
  const busy = said !== undefined && said.so.ended === undefined;
  const words = typed ?? (facts.said ? "" : (suggested?.words ?? ""));
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (busy || words.trim() === "") return;
    setTyped("");
    void say({ agent, user }, words.trim()).then(({ ended }) => {
      // Whoever failed to say it has the words back.
      if (typeof ended === "object") setTyped(words);
    });
  };
  const failed = said && typeof said.so.ended === "object" ? said.so.ended.because : undefined;
  return (
    <>
      <p className="text-sm text-soft">
        Tell <bdi>{agent}</bdi> what to do always or never. It keeps that in its prompt.
      </p>
      {said ? (
        <Exchange input={said.input} reply={said.so.text} busy={busy ? (said.so.busy ?? "Answering…") : undefined} />
      ) : (
        lastTurn && <Exchange input={lastTurn.input} reply={lastTurn.reply ?? ""} busy={undefined} />
      )}
      {failed !== undefined && (
        <p role="alert" className="text-bad text-sm [overflow-wrap:anywhere]">
          {failed}
        </p>
      )}
      <form onSubmit={send} className="flex flex-wrap gap-2">
        <input
          aria-label={`Message to ${agent}`}
          dir="auto"
          autoComplete="off"
          maxLength={32_000}
          value={words}
          placeholder={`Say something to ${agent}…`}
          onChange={({ target }) => setTyped(target.value)}
          className="min-h-9 min-w-0 flex-[1_1_12rem] rounded-md border border-line bg-paper px-3 text-sm"
        />
        <Button type="submit" kind={facts.said ? "plain" : "primary"} disabled={busy || words.trim() === ""}>
          Send
        </Button>
      </form>
      {facts.said && (
        <p className="text-sm">
          <TextLink href={placeOf(agent, "chat", undefined, { user })}>Go on in Chat</TextLink>
        </p>
      )}
    </>
  );
}

type ExchangeProps = { readonly input: string; readonly reply: string; readonly busy: string | undefined };

function Exchange({ input, reply, busy }: ExchangeProps) {
  return (
    <dl className="space-y-1 rounded-md bg-raised p-3 text-sm">
      <Line who="You">{input}</Line>
      <Line who="Reply">
        {reply === "" ? (
          <span role="status" className="text-soft">
            {busy ?? "There is no reply."}
          </span>
        ) : (
          reply
        )}
      </Line>
    </dl>
  );
}

function Line({ who, children }: { readonly who: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-2">
      <dt className="text-soft">{who}</dt>
      <dd dir="auto" className="line-clamp-6 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {children}
      </dd>
    </div>
  );
}

const height = 260;

const effectWords: Readonly<Record<Exclude<Effect, "landed">, string>> = {
  edited: "Your words changed a section. You, or someone else, edited it since.",
  held: "What you said led to a change that needed a person’s approval.",
  nothing: "What you said changed nothing in the prompt. Say what it should do always, or never: that does.",
};

type SeeStepProps = { readonly first: First; readonly isNext: boolean };

/** The prompt of the next turn as a picture, and which of its sections the agent changed. */
export function SeeStep({ first: { agent, user, landed, effect }, isNext }: SeeStepProps) {
  const { data, problem } = useAssembled({ agent, user, channel: "web" });
  const strata = useMemo(() => (data ? placedSections(data) : []), [data]);
  const change = useLatestChange(agent, user);
  const [, go] = useLocation();
  const placeFor = (section: string | undefined) =>
    placeOf(agent, "prompt", undefined, { user, channel: "web", section, show: "new" });
  return (
    <>
      <p className="text-sm text-soft">
        The system prompt of the next turn. Each band is a section, sized by tokens. In the prompt, click any word to
        see who wrote it, in which turn, and why.
      </p>
      {landed && (
        <p className="text-sm [overflow-wrap:anywhere]">
          Your words changed the section <strong className="font-medium">{landed.name}</strong>, now at revision{" "}
          {landed.revision}.
        </p>
      )}
      {effect !== undefined && effect !== "landed" && <p className="text-sm">{effectWords[effect]}</p>}
      {(effect === "landed" || effect === "edited") && change && (
        <LatestChangeCard agent={agent} user={user} change={change} />
      )}
      {problem && !data && <Trouble problem={problem} />}
      {!problem && !data && <Loading what="Assembling the prompt…" />}
      {data && (
        <Strata
          strata={strata}
          height={height}
          label={`The next prompt: ${plural(data.tokens.total, "token")} in ${plural(strata.length, "section")}`}
          cache={cacheRuleOf(data)}
          selected={landed?.name}
          news={change && { name: change.section, words: change.lines ?? "changed" }}
          onSelect={(section) => go(placeFor(section))}
        />
      )}
      <ActLink href={placeFor(landed?.name)} isNext={isNext}>
        See the prompt
      </ActLink>
    </>
  );
}

type ChangeStepProps = { readonly first: First; readonly isNext: boolean };

/** A person changes a section: in its editor, where checks, difference and cost are seen before it is saved. */
export function ChangeStep({ first: { agent, user, toChange }, isNext }: ChangeStepProps) {
  if (!toChange) return <p className="text-sm text-soft">No section of this agent can be edited by an operator.</p>;
  return (
    <>
      <p className="text-sm text-soft">
        Edit the section <strong className="font-medium text-ink">{toChange.name}</strong> yourself. As you type you see
        the checks, the difference and what it costs. Save, and it is in the next prompt; every earlier text can be
        brought back.
      </p>
      <ActLink href={placeOf(agent, "sections", toChange.name, { user })} isNext={isNext}>
        Edit {toChange.name}
      </ActLink>
    </>
  );
}

type ActLinkProps = { readonly href: string; readonly isNext: boolean; readonly children: ReactNode };

/** The way to where a step is done; it stands out where that is what comes next. */
export function ActLink({ href, isNext, children }: ActLinkProps) {
  const look = isNext
    ? "border-transparent bg-accent text-on-accent hover:opacity-90"
    : "border-line bg-card hover:bg-raised";
  return (
    <Link href={href} className={`inline-flex min-h-9 items-center rounded-md border px-3 font-medium text-sm ${look}`}>
      {children}
    </Link>
  );
}
