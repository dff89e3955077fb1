import type { Receipt } from "charter";
import type { TurnParts } from "charter/answers";
import type { SampleStep, WholeSample } from "../../../billing/sample.ts";

/** What is kept of a step, as far as this page reads it. */
export type Call = { readonly id: string; readonly name: string; readonly input: string };
export type Result = { readonly call: string; readonly name: string; readonly output: string; readonly failed?: true };
export type Notice = { readonly code: string; readonly section?: string; readonly message: string };
export type StepResult = {
  readonly input?: string;
  readonly faults?: readonly { readonly code: string; readonly message: string }[];
  readonly answer?: { readonly text: string; readonly calls: readonly Call[] };
  readonly partial?: string;
  readonly correction?: string;
  readonly steering?: readonly string[];
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

export type TurnEvent = WholeSample["events"][number];

/** A step as the timeline has it: what was sent, what is kept of it, and what happened before the next one was sent. */
export type ToldStep = {
  readonly sent: SampleStep;
  readonly record: StepRecord | undefined;
  /** The request before it, in this turn or the turn before; none of a conversation's first. */
  readonly before: SampleStep | undefined;
  readonly events: readonly TurnEvent[];
};

/** The steps of a turn in order, each with its events; and the events that came before the first was sent. */
export function toldSteps(
  { steps, events }: Pick<WholeSample, "steps" | "events">,
  records: readonly StepRecord[],
  last: SampleStep | undefined,
): { readonly first: readonly TurnEvent[]; readonly steps: readonly ToldStep[] } {
  const stepOf = ({ at }: TurnEvent) => steps.findLastIndex((step) => step.at <= at);
  const byStep = Map.groupBy(events, stepOf);
  return {
    first: byStep.get(-1) ?? [],
    steps: steps.map((sent, index) => ({
      sent,
      record: records.find(({ step }) => step === sent.step),
      before: steps[index - 1] ?? last,
      events: byStep.get(index) ?? [],
    })),
  };
}
