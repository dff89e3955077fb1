import type { TurnAnswer } from "charter/answers";
import { tookText } from "../../../billing/listed-turn.tsx";
import { count, dollars, plural } from "../../../kit/words.ts";

type Counted = Pick<TurnAnswer, "usage" | "cost" | "state" | "startedAt" | "endedAt">;

/** What a turn used, cost and took: as much of it as is known, once it is over. */
export function figures({ usage, cost, state, startedAt, endedAt }: Counted): readonly string[] {
  if (state === "running" || state === "erased") return [];
  return [
    tokens(usage?.input ?? null, usage?.output ?? null),
    typeof cost === "number" ? dollars(cost) : undefined,
    endedAt === null ? undefined : tookText(startedAt, endedAt),
  ].filter((one) => one !== undefined);
}

function tokens(input: number | null, output: number | null): string | undefined {
  if (input === null) return output === null ? undefined : `${plural(output, "token")} out`;
  return `${plural(input, "token")} in${output === null ? "" : `, ${count(output)} out`}`;
}
