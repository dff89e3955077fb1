import type { AgentListAnswer, MeAnswer, SectionListAnswer, TurnListAnswer } from "charter/answers";
import { useEffect } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { type Effect, effectOf, type FirstFacts } from "./first-steps.ts";
import { remember, useRemembered } from "./remember.ts";

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
