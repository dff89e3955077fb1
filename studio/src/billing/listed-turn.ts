import type { TurnAnswer } from "charter/answers";
import { count, dollars, plural } from "../kit/words.ts";

export type TurnEvent = "amended" | "refused" | "held" | "cache-miss" | "tool" | "failed";
export type Usage = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
};
export type ListedTurn = TurnAnswer & {
  readonly model: string | null;
  readonly cost: number | null;
  readonly usage: Usage;
  readonly events: readonly TurnEvent[];
};
export type TurnPage = { readonly turns: readonly ListedTurn[]; readonly more: boolean; readonly total: number };
export type SessionPage = {
  readonly sessions: readonly ListedSession[];
  readonly more: boolean;
  readonly total: number;
};
export type ListedSession = {
  readonly id: string;
  readonly scope: { readonly agent: string; readonly user?: string };
  readonly channel: string | null;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly endedAt: string | null;
  readonly turns: number;
  readonly firstInput: string | null;
  readonly cost: number | null;
  readonly usage: Usage;
  readonly failed: number;
  readonly models: readonly string[];
};

/** What it cost. Nobody knows, where no price is known; a turn that never asked a model cost nothing to speak of. */
export function costText({ cost, state }: Pick<ListedTurn, "cost" | "state">): string {
  if (cost !== null) return dollars(cost);
  return state === "answered" ? "unknown" : "–";
}

/** Tokens in and out as the provider counted them; where it did not, that. */
export function tokensText({ input, output }: Usage): { readonly input: string; readonly output: string } | undefined {
  if (input === null && output === null) return undefined;
  const text = (value: number | null) => (value === null ? "unknown" : count(value));
  return { input: text(input), output: text(output) };
}

/** The same in one sentence, with what was read from the cache. */
export function tokensSentence({ input, read, output }: Usage): string {
  if (input === null && output === null) return "The provider counted no tokens.";
  const cached = input !== null && read !== null && read > 0 ? `, ${count(read)} of them read from the cache` : "";
  const sent = input === null ? "Input not counted" : `${plural(input, "token")} in${cached}`;
  return `${sent}; ${output === null ? "output not counted" : `${count(output)} out`}.`;
}
