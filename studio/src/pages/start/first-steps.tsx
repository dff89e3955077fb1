import type { AgentListAnswer, MeAnswer, SectionListAnswer, TurnListAnswer } from "charter/answers";
import { useEffect, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { usePlace } from "../../app/place.ts";

/** What is known of someone's first minute with an agent. */
export type FirstFacts = {
  /** They have said something to it. */
  readonly said: boolean;
  /** They have looked at its prompt since. */
  readonly seen: boolean;
  /** A person has changed one of its sections. */
  readonly changed: boolean;
};

/**
 * What came of what was said: a section is as the agent changed it, the agent changed one and a person has edited it since,
 * a change needed a person's approval, or nothing changed. Undefined while nobody can know.
 */
export type Effect = "landed" | "edited" | "held" | "nothing";

export function effectOf(
  last: { readonly state: string } | undefined,
  { landed, amended, held }: { readonly landed: boolean; readonly amended: boolean; readonly held: boolean },
): Effect | undefined {
  if (landed) return "landed";
  if (amended) return "edited";
  if (held) return "held";
  return last === undefined || last.state === "running" ? undefined : "nothing";
}

export type StepName = "say" | "see" | "change";
export type FirstStep = { readonly name: StepName; readonly title: string; readonly done: boolean };

/** The three steps, each done by what is on record. */
export function firstSteps({ said, seen, changed }: FirstFacts): readonly FirstStep[] {
  return [
    { name: "say", title: "Say something", done: said },
    { name: "see", title: "See it in the prompt", done: said && seen },
    { name: "change", title: "Change it", done: changed },
  ];
}

/** The first step that is not done yet. */
export function nextStep(steps: readonly FirstStep[]): FirstStep | undefined {
  return steps.find(({ done }) => !done);
}

/** Few enough turns for a house that someone has only just entered. */
const few = 5;

/** Is this a house where the three steps are what to begin with: one agent, that has hardly spoken? */
export function isFresh(agents: readonly { readonly served?: boolean | undefined }[], turns: number): boolean {
  const [only, ...others] = agents;
  return only !== undefined && others.length === 0 && only.served !== false && turns <= few;
}

/** What the browser remembers of the three steps: the rest is on record at the server. */
export type Remembered = {
  readonly agent?: string;
  readonly seen?: true;
  readonly changed?: true;
  readonly ended?: true;
};

const nothingYet: Remembered = {};

export function readRemembered(kept: string | null): Remembered {
  if (kept === null) return nothingYet;
  try {
    const { agent, seen, changed, ended } = JSON.parse(kept) as Readonly<Record<string, unknown>>;
    return {
      ...(typeof agent === "string" ? { agent } : {}),
      ...(seen === true ? { seen } : {}),
      ...(changed === true ? { changed } : {}),
      ...(ended === true ? { ended } : {}),
    };
  } catch {
    return nothingYet;
  }
}

/** While someone takes the three steps: on every other page, how far they are and the way back. */
export function StepReminder() {
  const { agent: begun, ended, seen } = useRemembered();
  const { agent, page } = usePlace();
  const { first } = useFirst(ended ? undefined : begun);
  const looksAtPrompt = page === "prompt" && agent === begun && first?.facts.said === true;
  useEffect(() => {
    if (begun !== undefined && looksAtPrompt && !seen) remember(begun, { seen: true });
  }, [begun, looksAtPrompt, seen]);
  const steps = first ? firstSteps(first.facts) : [];
  const next = nextStep(steps);
  const isDone = steps.length > 0 && next === undefined;
  useEffect(() => {
    if (begun !== undefined && isDone) remember(begun, { ended: true });
  }, [begun, isDone]);
  if (next === undefined || ended || location.pathname === "/start") return null;
  return (
    <nav aria-label="First steps" className="flex flex-wrap gap-x-3 border-line border-b bg-raised px-4 py-1.5 text-sm">
      <Link href="/start" className="font-medium text-accent underline">
        First steps
      </Link>
      <span className="text-soft">
        {steps.filter(({ done }) => done).length} of {steps.length} done. Next: {next.title.toLowerCase()}.
      </span>
      <button
        type="button"
        className="text-soft underline hover:text-ink"
        onClick={() => begun !== undefined && remember(begun, { ended: true })}
      >
        Hide
      </button>
    </nav>
  );
}

const key = "charter-first-steps";
const watchers = new Set<() => void>();

/** What this browser remembers of the three steps; seen here as soon as it changes. */
export function useRemembered(): Remembered {
  const kept = useSyncExternalStore(watch, () => localStorage.getItem(key));
  return readRemembered(kept);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  addEventListener("storage", watcher);
  return () => {
    watchers.delete(watcher);
    removeEventListener("storage", watcher);
  };
}

/** Adds to it. Another agent begins anew. */
export function remember(agent: string, more: Omit<Remembered, "agent">): void {
  const before = readRemembered(localStorage.getItem(key));
  const kept = before.agent === agent ? before : {};
  const next = JSON.stringify({ ...kept, agent, ...more });
  if (next === localStorage.getItem(key)) return;
  try {
    localStorage.setItem(key, next);
  } catch {
    // A browser without room remembers nothing: the steps are shown again.
  }
  for (const watcher of watchers) watcher();
}

type Agent = AgentListAnswer["agents"][number];
type Section = SectionListAnswer["sections"][number];
export type FirstTurn = TurnListAnswer["turns"][number];

/** With whom the three steps are taken, and how far they are. */
export type First = {
  readonly agent: string;
  readonly user: string;
  readonly facts: FirstFacts;
  readonly lastTurn: FirstTurn | undefined;
  /** The section the agent changed last, and the one a person is to change. */
  readonly landed: Section | undefined;
  /** What came of what was said to it. */
  readonly effect: Effect | undefined;
  readonly toChange: Section | undefined;
};

/** The agent of the three steps: the one that was begun with, else the first that takes turns here. */
export function agentOf(agents: readonly Agent[], begun: string | undefined): string | undefined {
  const served = agents.filter((one) => one.served !== false);
  return (served.find(({ name }) => name === begun) ?? served[0])?.name;
}

/** Reads nothing where no agent is given. */
export function useFirst(agent: string | undefined): { readonly first?: First; readonly problem?: Error } {
  const remembered = useRemembered();
  const me = useApi<MeAnswer>(agent === undefined ? undefined : "/me");
  const user = me.data?.user ?? undefined;
  const of = agent === undefined || user === undefined ? undefined : `/agents/${encodeName(agent)}`;
  const turns = useApi<TurnListAnswer>(of && withQuery(`${of}/turns`, { user, limit: 1 }));
  const turnsWith = (event: string) => of && withQuery(`${of}/turns`, { user, event, limit: 1 });
  const amended = useApi<TurnListAnswer>(turnsWith("amended"));
  const held = useApi<TurnListAnswer>(turnsWith("held"));
  const sections = useApi<SectionListAnswer>(of && withQuery(`${of}/sections`, { user, limit: 100 }));
  const own = remembered.agent === agent ? remembered : {};
  const all = sections.data?.sections ?? [];
  const isChanged = own.changed === true || all.some(byHand);
  useEffect(() => {
    if (agent !== undefined && isChanged) remember(agent, { changed: true });
  }, [agent, isChanged]);
  const problem = me.error ?? turns.error ?? amended.error ?? held.error ?? sections.error;
  if (agent === undefined || user === undefined || !turns.data || !amended.data || !held.data || !sections.data)
    return problem ? { problem } : {};
  const lastTurn = turns.data.turns[0];
  const facts = { said: lastTurn !== undefined, seen: own.seen === true, changed: isChanged };
  const landed = landedIn(all);
  const had = (found: TurnListAnswer) => found.turns.length > 0;
  const effect = effectOf(lastTurn, { landed: landed !== undefined, amended: had(amended.data), held: had(held.data) });
  return { first: { agent, user, facts, lastTurn, landed, effect, toChange: toChangeIn(all) } };
}

/** A person changed it last: no turn did. */
export function byHand({ updatedAt, updatedByTurn }: Pick<Section, "updatedAt" | "updatedByTurn">): boolean {
  return updatedAt !== null && updatedByTurn === null;
}

/** What the agent changed last. */
function landedIn(sections: readonly Section[]): Section | undefined {
  const landed = sections.filter(({ updatedByTurn }) => updatedByTurn !== null);
  return landed.toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""))[0];
}

/** What the agent changed last, else a section each user has, else any that an operator may change. */
function toChangeIn(sections: readonly Section[]): Section | undefined {
  const open = sections.filter(({ amendableBy }) => amendableBy.includes("operator"));
  const landed = landedIn(open);
  return landed ?? open.find(({ scope }) => scope === "user") ?? open[0];
}
