import type { SessionListAnswer, TurnAnswer, TurnListAnswer } from "charter/answers";
import { count, dollars, plural } from "../kit/words.ts";

type Told<Row, Key extends keyof Row> = Row & { readonly [One in Key]-?: Exclude<Row[One], undefined> };

/** A turn of a list. An operator is told all of it, a user less: and this page is an operator's. */
export type ListedTurn = Told<TurnAnswer, "model" | "cost" | "usage" | "because" | "events">;
export type ListedSession = Told<SessionListAnswer["sessions"][number], "cost" | "usage" | "models">;
export type TurnPage = Omit<TurnListAnswer, "turns"> & { readonly turns: readonly ListedTurn[] };
export type SessionPage = Omit<SessionListAnswer, "sessions"> & { readonly sessions: readonly ListedSession[] };
export type TurnEvent = ListedTurn["events"][number];
export type Usage = ListedTurn["usage"];

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
