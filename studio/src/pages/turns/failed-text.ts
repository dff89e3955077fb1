import type { TurnAnswer } from "charter/answers";

/** Why a turn has no good answer, in its row and first on its page; undefined where nothing went wrong. */
export function failedText({ state, because }: Pick<TurnAnswer, "state" | "because">): string | undefined {
  if (state === "interrupted") return "The process that ran it stopped.";
  if (state !== "failed") return undefined;
  return because?.message ?? "It failed, and nobody said why.";
}
