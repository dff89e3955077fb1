import { counted, grouped } from "../prompt/problem.ts";

/** A share that is neither nothing nor all is never rounded to either. */
export function percent(part: number, of: number): string {
  const share = (100 * part) / of;
  const shown = part < of && part > 0 ? Math.min(99.9, Math.max(0.1, share)) : share;
  return `${shown.toFixed(part === of || part === 0 ? 0 : 1)} %`;
}

/** A request's tokens as they were counted here, and as the provider billed them. */
export type CountFacts = {
  /** All of it: tools, system prompt, messages. Null where nothing was counted. */
  readonly counted: number | null;
  /** With what it was counted, and whether that is the model's own tokenizer. */
  readonly tokenizer: { readonly name: string; readonly exact: boolean } | null;
  /** The provider's count; null where it gave none. */
  readonly billed: number | null;
  /** Pictures or files were in it, whose tokens are always estimated. */
  readonly files: boolean;
};

/** “exact”: counted with the model's own tokenizer. “estimated”: with another one. */
export const countKind = ({ exact }: { readonly exact: boolean }): "exact" | "estimated" =>
  exact ? "exact" : "estimated";

/** How tokens were counted: exact, o200k_base; estimated with o200k_base; estimated. */
export function countedWith({ name, exact }: { readonly name: string; readonly exact: boolean }): string {
  if (exact) return `exact, ${name}`;
  return name === "estimate" ? "estimated" : `estimated with ${name}`;
}

/** Both counts, and why they differ where they do. */
export function countWords({ counted: here, tokenizer, billed, files }: CountFacts): string | null {
  if (here === null || tokenizer === null) return billed === null ? null : `Billed: ${counted(billed, "token")}.`;
  const own = `Counted here: ${counted(here, "token")} (${countedWith(tokenizer)}).`;
  if (billed === null) return `${own} The provider has not counted this request.`;
  if (billed === here) return `${own} The provider billed the same number.`;
  const reasons = [
    ...(tokenizer.exact ? [] : [notOwn(tokenizer.name)]),
    ...(files ? ["the tokens of pictures and files are estimated"] : []),
    "the provider writes tools and the wrapping of messages in a way of its own, which only it can count",
  ];
  return `${own} Billed: ${grouped(billed)}. They differ because ${reasons.join("; and because ")}.`;
}

function notOwn(tokenizer: string): string {
  return tokenizer === "estimate" ? "no tokenizer was used here" : `${tokenizer} is not this model’s own tokenizer`;
}
