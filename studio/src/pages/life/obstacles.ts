import type { LifeSnapshotAnswer } from "charter/answers";

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
