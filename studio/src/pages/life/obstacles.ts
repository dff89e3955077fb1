import type { LifeSnapshotAnswer } from "charter/answers";

export type Life = LifeSnapshotAnswer;

/** What keeps an agent from taking turns by itself, or will soon: each with what ends it. */
export type Obstacle =
  | { readonly kind: "never-started" | "no-process" | "frozen" | "no-budget" }
  | { readonly kind: "asleep"; readonly until: string | undefined }
  | { readonly kind: "tier"; readonly tier: string };

/** Whoever sleeps until a year like this sleeps until they are woken. */
const forEver = "9999";

/** Until when it sleeps; nothing where it is awake. */
export function sleepOf({ asleepUntil }: Pick<Life, "asleepUntil">, now: number): { until: string | undefined } | null {
  if (asleepUntil === null || Date.parse(asleepUntil) <= now) return null;
  return { until: asleepUntil.startsWith(forEver) ? undefined : asleepUntil };
}

type Facts = Pick<Life, "state" | "runner" | "frozen" | "asleepUntil" | "tier"> & {
  readonly balances: Pick<Life["balances"], "granted">;
};

export function obstaclesOf(life: Facts, now: number): readonly Obstacle[] {
  const { state, runner, frozen, tier, balances } = life;
  const asleep = sleepOf(life, now);
  return [
    ...(runner === null ? [{ kind: neverStarted(state) ? ("never-started" as const) : ("no-process" as const) }] : []),
    ...(frozen === "agent" ? [{ kind: "frozen" as const }] : []),
    ...(asleep ? [{ kind: "asleep" as const, until: asleep.until }] : []),
    ...(tier === "Normal" ? [] : [{ kind: "tier" as const, tier }]),
    ...(balances.granted === null ? [{ kind: "no-budget" as const }] : []),
  ];
}

/** Whoever grants it something makes its record: that alone starts nothing. */
function neverStarted(state: string | null): boolean {
  return state === null || state === "Bootstrapping";
}
