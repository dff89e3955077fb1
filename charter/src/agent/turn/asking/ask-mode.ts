import { badArgument, kindOf } from "../../../prompt/argument.ts";
import { listed } from "../../../prompt/problem.ts";
import type { Tool } from "../../tool.ts";

/**
 * When whoever is there is asked before a call: never, before calls that act on the world outside (`writes`), or before
 * every call. What untrusted text holds is asked about in each of them.
 */
export type AskMode = (typeof askModes)[number];

export const askModes = ["never", "writes", "always"] as const;

export function checkAskMode(ask: unknown): void {
  if (askModes.some((mode) => mode === ask)) return;
  throw badArgument(`The \`ask\` that runTurn was given is ${kindOf(ask)}.`, `Give ${listed(askModes)}.`);
}

/** Why a call has to be asked about. */
export type AskReason = "untrusted" | Exclude<AskMode, "never">;

/** Whether this call has to be asked about, and why; nothing if it simply runs. */
export function askReason(
  { sensitive }: Pick<Tool, "sensitive">,
  { tainted, ask }: { readonly tainted: boolean; readonly ask: AskMode },
): AskReason | undefined {
  if (sensitive && tainted) return "untrusted";
  if (ask === "always") return "always";
  return sensitive && ask === "writes" ? "writes" : undefined;
}
