import { CallCard } from "./call-card.tsx";
import type { Decision } from "./decisions.tsx";
import { ProposalCard } from "./proposal-card.tsx";
import { ToolCard } from "./tool-card.tsx";
import type { HeldCall, HeldProposal, HeldTool } from "./waiting.ts";

type HeldItemProps = {
  readonly held: HeldProposal | HeldCall | HeldTool;
  readonly onDecided: (decision: Decision) => void;
};

/** One thing that waits for a person, or waited, of whichever kind: with all there is to know, and what decides it. */
export function HeldItem({ held, onDecided }: HeldItemProps) {
  if ("server" in held) return <ToolCard held={held} onDecided={onDecided} />;
  if ("tool" in held) return <CallCard held={held} onDecided={onDecided} />;
  return <ProposalCard held={held} onDecided={onDecided} />;
}
