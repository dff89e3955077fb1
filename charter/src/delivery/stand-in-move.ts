import type { StandInView } from "./stand-in-view.ts";

export type Call = { readonly name: string; readonly input: string };

/** What the stand-in does next: calls, or sentences that end the turn. */
export type StandInMove = { readonly calls: readonly Call[] } | { readonly says: readonly string[] };

export type StandInRule = {
  readonly when: RegExp;
  /** It holds only where one of these tools is offered. */
  readonly offered?: readonly string[];
  readonly move: (words: readonly (string | undefined)[], view: StandInView) => StandInMove | undefined;
};

type Offers = Readonly<Record<string, object | undefined>>;

/** One call, to the first of these tools that is offered; then nothing more. */
export function once(
  calls: (words: readonly (string | undefined)[], view: StandInView) => Offers,
): StandInRule["move"] {
  return (words, view) => (view.steps.length > 0 ? undefined : callOffered(view, calls(words, view)));
}

export function callOffered({ offers }: StandInView, calls: Offers): StandInMove {
  const [name, input] = Object.entries(calls).find(([tool, asked]) => asked && offers.has(tool)) ?? [];
  if (name !== undefined) return { calls: [{ name, input: JSON.stringify(input) }] };
  return { says: [`I would call ${Object.keys(calls).join(" or ")} for that, but no such tool is offered to me.`] };
}
