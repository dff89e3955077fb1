import type { LifeSnapshotAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { encodeName, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { saidWith } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { counterpartKey, timeText } from "../../kit/words.ts";
import { type Chain, tierWords } from "./figures.tsx";

/** What keeps it from its turns, in the order in which it has to be mended. */
export function ObstacleList({ obstacles }: { readonly obstacles: readonly Obstacle[] }) {
  if (obstacles.length === 0) return null;
  return (
    <ul aria-label="What to know" className="mb-4 space-y-2">
      {obstacles.map((obstacle) => (
        <li
          key={obstacle.kind}
          className={`rounded-lg border bg-card px-4 py-2.5 text-sm ${isBad(obstacle) ? "border-bad/50" : "border-wait/50"}`}
        >
          <Says obstacle={obstacle} />
        </li>
      ))}
    </ul>
  );
}

function isBad(obstacle: Obstacle): boolean {
  return obstacle.kind === "tier" && tierWords(obstacle.tier).tone === "bad";
}

function Says({ obstacle }: { readonly obstacle: Obstacle }) {
  switch (obstacle.kind) {
    case "never-started":
      return (
        <Told title="Nothing runs it yet.">
          Messages wait. Name it as <code>automaton</code> in <code>charter.config.ts</code>, then run{" "}
          <code>charter start</code> or <code>charter work</code>.
        </Told>
      );
    case "no-process":
      return (
        <Told title="No process runs it now.">
          Messages wait until <code>charter start</code> or <code>charter work</code> runs again.
        </Told>
      );
    case "frozen":
      return (
        <Told title="It is frozen.">
          Messages wait. <TextLink href="/home">Unfreeze it on Home</TextLink>
        </Told>
      );
    case "asleep":
      return (
        <Told title={`It is asleep until ${obstacle.until === undefined ? "you wake it" : timeText(obstacle.until)}.`}>
          Messages wait.
        </Told>
      );
    case "away":
      return (
        <Told title={`Its model has given no answer since ${timeText(obstacle.since)}.`}>
          Messages wait, and none is lost: it is asked again by itself. Reason:{" "}
          <span className="[overflow-wrap:anywhere]">{obstacle.because}</span>
        </Told>
      );
    case "tier": {
      const { title, says } = tierWords(obstacle.tier);
      return <Told title={`Its budget is ${title.toLowerCase()}.`}>{says}</Told>;
    }
  }
}

function Told({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <strong className="font-medium">{title}</strong> {children}
    </>
  );
}

export type Life = LifeSnapshotAnswer;

/** What keeps an agent from taking turns by itself, or will soon: each with what ends it. */
export type Obstacle =
  | { readonly kind: "never-started" | "no-process" | "frozen" }
  | { readonly kind: "asleep"; readonly until: string | undefined }
  | { readonly kind: "tier"; readonly tier: string }
  | { readonly kind: "away"; readonly since: string; readonly because: string };

/** Whoever sleeps until a year like this sleeps until they are woken. */
const forEver = "9999";

/** Until when it sleeps; nothing where it is awake. */
export function sleepOf({ asleepUntil }: Pick<Life, "asleepUntil">, now: number): { until: string | undefined } | null {
  if (asleepUntil === null || Date.parse(asleepUntil) <= now) return null;
  return { until: asleepUntil.startsWith(forEver) ? undefined : asleepUntil };
}

type Facts = Pick<Life, "state" | "runner" | "frozen" | "asleepUntil" | "tier" | "away">;

export function obstaclesOf(life: Facts, now: number): readonly Obstacle[] {
  const { runner, frozen, tier, away } = life;
  const asleep = sleepOf(life, now);
  return [
    ...(runner === null ? [{ kind: isStarted(life) ? ("no-process" as const) : ("never-started" as const) }] : []),
    ...(frozen === "agent" ? [{ kind: "frozen" as const }] : []),
    ...(asleep ? [{ kind: "asleep" as const, until: asleep.until }] : []),
    ...(tier === "Normal" ? [] : [{ kind: "tier" as const, tier }]),
    ...(away ? [{ kind: "away" as const, ...away }] : []),
  ];
}

/** Whether a process ever ran it. Whoever grants it something makes its record: that alone starts nothing. */
export function isStarted({ state, runner }: Pick<Life, "state" | "runner">): boolean {
  return state !== null && (state !== "Bootstrapping" || runner !== null);
}

/** Replies that are not on the chain, the first of each kind, with the reason and what can be done. */
export function ChainTrouble({
  agent,
  chain: { failed, held, stuck },
  onDone,
}: {
  readonly agent: string;
  readonly chain: Chain;
  readonly onDone: (says: string) => void;
}) {
  if (failed.length + held.length + stuck.length === 0) return null;
  return (
    <section aria-label="Replies that are not on the chain">
      <h2 className="mb-1 font-semibold text-lg">Replies that are not on the chain</h2>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card text-sm [overflow-wrap:anywhere]">
        {failed.map(({ reply, message, to, reason }) => (
          <li key={reply} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <p className="min-w-0 flex-1">
              <Stopped agent={agent} to={to} word="failed" tone="text-bad" />{" "}
              <bdi>{reason ?? "No reason is known."}</bdi>
            </p>
            <Again agent={agent} message={message} to={to} onDone={onDone} />
          </li>
        ))}
        {held.map(({ reply, to, reason }) => (
          <li key={reply} className="px-4 py-2.5">
            <Stopped agent={agent} to={to} word="waits" tone="text-wait" />{" "}
            <bdi>{reason ?? "It waits until it costs less."}</bdi>
          </li>
        ))}
        {stuck.map(({ reply, to }) => (
          <li key={reply} className="px-4 py-2.5">
            <Stopped agent={agent} to={to} word="is late" tone="text-wait" /> It was sent more than ten minutes ago, and
            no block has taken it yet. More is offered for it, up to the limits.
          </li>
        ))}
      </ul>
    </section>
  );
}

function Stopped({ agent, to, word, tone }: StoppedProps) {
  return (
    <>
      To{" "}
      <TextLink href={saidWith(agent, counterpartKey(to))} dir="auto">
        {to}
      </TextLink>
      : <strong className={`font-medium ${tone}`}>{word}.</strong>
    </>
  );
}

type StoppedProps = {
  readonly agent: string;
  readonly to: string;
  readonly word: string;
  readonly tone: "text-bad" | "text-wait";
};

function Again({ agent, message, to, onDone }: AgainProps) {
  const { busy, problem, run } = useAct();
  const retry = async () => {
    const path = `/agents/${encodeName(agent)}/inbox/${encodeName(message)}/retry`;
    if (await run(() => sendJson(path))) onDone(`The reply to “${to}” is sent again.`);
  };
  return (
    <>
      <Button disabled={busy} aria-label={`Send again: the reply to ${to}`} onClick={retry}>
        Send again
      </Button>
      <Trouble problem={problem} />
    </>
  );
}

type AgainProps = {
  readonly agent: string;
  readonly message: string;
  readonly to: string;
  readonly onDone: (says: string) => void;
};
