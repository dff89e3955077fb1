import type { PrefixChange } from "../delivery/fold.ts";
import type { Fault, OwnToolUse, PermissionRequest, ToolCall, ToolResult } from "../delivery/model.ts";
import type { Quote } from "../delivery/quote.ts";
import type { Notice } from "../prompt/notice.ts";
import { counted, grouped } from "../prompt/problem.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { ProposalOutcome } from "../store/amendments/judge.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { TurnPhase } from "./turn-phase.ts";

/** Everything that happens in a turn, as it happens: for progress, streaming and logs. */
export type AgentEvent = { readonly turn: string } & (
  | { readonly kind: "turn-start"; readonly session: string; readonly input: string }
  /** The turn goes on to another phase. */
  | { readonly kind: "phase"; readonly phase: TurnPhase }
  | {
      readonly kind: "step-start";
      readonly step: number;
      readonly prefixChange: PrefixChange;
      readonly predicted: CacheTokens | null;
    }
  /** A draft of the answer, as it comes. It becomes the answer with `turn-end`, or is dropped. */
  | { readonly kind: "draft"; readonly text: string }
  | { readonly kind: "draft-dropped"; readonly reason: string }
  | { readonly kind: "retry"; readonly fault: Fault; readonly attempt: number; readonly waitMs: number }
  /** One model gave no answer, for the reason the code names, and the next of the agent's is asked for the same step. */
  | { readonly kind: "model-changed"; readonly from: string; readonly to: string; readonly code: string }
  /** `answering`: the receiver called it while it answers, so what was drafted before is still part of the answer. */
  | { readonly kind: "tool-call"; readonly call: ToolCall; readonly answering?: true }
  | { readonly kind: "tool-result"; readonly result: ToolResult }
  | { readonly kind: "tool-held"; readonly call: ToolCall; readonly held: string }
  /** The receiver used a tool of its own, or its status changed. */
  | { readonly kind: "own-tool"; readonly use: OwnToolUse }
  /** The receiver asked whether it may use a tool of its own. `held`: it waits for a person's approval, or had it. */
  | {
      readonly kind: "permission";
      readonly asked: PermissionRequest;
      readonly answer: "allow" | "deny";
      readonly held?: string;
    }
  | {
      readonly kind: "proposed";
      readonly section: string;
      readonly outcome: ProposalOutcome & { readonly quote?: Quote };
    }
  | { readonly kind: "tainted"; readonly reason: string }
  | { readonly kind: "hook-failed"; readonly hook: string; readonly moment: string; readonly reason: string }
  /** A history was too long. `leftOut`: its oldest turns were not summed up, and are only on record. */
  | {
      readonly kind: "compacted";
      readonly turns: number;
      readonly before: number;
      readonly after: number;
      readonly leftOut?: true;
    }
  | { readonly kind: "notice"; readonly notice: Notice }
  | { readonly kind: "turn-end"; readonly outcome: TurnOutcome }
);

/** A function that is called with the events of a turn. If it throws, the turn is not affected. */
export type Watcher = (event: AgentEvent) => void;

/** Tells every watcher; one that throws, now or later, is its own trouble, never the turn's or the process's. */
export function createEmit(turn: string, watchers: readonly (Watcher | undefined)[]) {
  return (event: AgentEvent extends infer One ? (One extends { turn: string } ? Omit<One, "turn"> : never) : never) => {
    for (const watcher of watchers) {
      try {
        const told: unknown = watcher?.({ turn, ...event } as AgentEvent);
        if (told instanceof Promise) told.catch(() => {});
      } catch {}
    }
  };
}

export type Emit = ReturnType<typeof createEmit>;

/** What became of a history that was too long, in a sentence; `what` it was that was summed up. */
export function compactionText(
  { turns, before, after, leftOut }: Extract<AgentEvent, { kind: "compacted" }>,
  what = counted(turns, "turn was", "turns were"),
): string {
  const sizes = `${counted(before, "token")} of history became ${grouped(after)}.`;
  if (!leftOut) return `${what} summarised: ${sizes}`;
  return `${what} left out, since the model gave no summary: ${sizes} The agent can still read what was left out.`;
}
