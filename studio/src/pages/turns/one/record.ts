import type { Receipt } from "charter";
import type { TurnParts } from "charter/answers";

/** What is kept of a step, as far as this page reads it. */
export type Call = { readonly id: string; readonly name: string; readonly input: string };
export type Result = { readonly call: string; readonly name: string; readonly output: string; readonly failed?: true };
export type Notice = { readonly code: string; readonly section?: string; readonly message: string };
export type StepResult = {
  readonly input?: string;
  readonly faults?: readonly { readonly code: string; readonly message: string }[];
  readonly answer?: { readonly text: string; readonly calls: readonly Call[] };
  readonly finish?: string;
  readonly results?: readonly Result[];
  readonly summary?: string;
  readonly because?: { readonly code: string; readonly message: string };
  readonly notices?: readonly Notice[];
};

export type StepRecord = Omit<TurnParts["receipts"][number], "receipt" | "result"> & {
  readonly receipt: Receipt | null;
  readonly result: StepResult | null;
};

/** Receipts and what came of a step are any JSON to the API; this is what they are. */
export const recordsIn = (receipts: TurnParts["receipts"]): readonly StepRecord[] => receipts as readonly StepRecord[];

export type Called = { readonly call: Call; readonly result: Result | undefined };

/** Each call beside its result. Some models count their calls anew in each step, so it is looked for in the same one. */
export function callsOf({ answer, results = [] }: StepResult): readonly Called[] {
  return (answer?.calls ?? []).map((call) => ({ call, result: results.find((result) => result.call === call.id) }));
}

/** JSON is easier to read with its lines apart; whatever else it is stands as it is. */
export function readable(words: string): string {
  if (!/^\s*[[{]/.test(words) || words.length > 200_000) return words;
  try {
    return JSON.stringify(JSON.parse(words), null, 2);
  } catch {
    return words;
  }
}
