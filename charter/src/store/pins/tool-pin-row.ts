/** A tool as its server describes it now. */
export type SeenTool = {
  readonly tool: string;
  readonly digest: string;
  /** As JSON. */
  readonly definition: string;
  /** What a person should look at; none: it may be offered as it is, if it was never seen before. */
  readonly reasons: readonly string[];
};

/**
 * A tool of another server, as an agent has it: what it is offered as, and what waits for a person in its place.
 *
 * `status`: "pinned" is offered. While "waiting" or "rejected", `next` is what the server says now, and nothing is offered.
 */
export type ToolPin = {
  /** New with everything that is held: who decides about an id decides about all that was shown under it. */
  readonly id: string;
  readonly agent: string;
  readonly server: string;
  readonly tool: string;
  readonly status: "pinned" | "waiting" | "rejected";
  /** What stands: its definition, as JSON, and the digest of that. Nothing stood before, where it was held at first sight. */
  readonly digest: string | null;
  readonly definition: string | null;
  /** What is held. */
  readonly nextDigest: string | null;
  readonly nextDefinition: string | null;
  /** Why it is held. */
  readonly reasons: readonly string[];
  readonly at: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly decisionReason: string | null;
  /** The other tools under the same id: they were first seen together, and are decided together. */
  readonly others?: readonly Pick<ToolPin, "tool" | "definition" | "nextDefinition">[];
};

export type ToolPinRow = {
  id: string;
  agent: string;
  server: string;
  tool: string;
  status: ToolPin["status"];
  digest: string | null;
  definition: string | null;
  next_digest: string | null;
  next_definition: string | null;
  because: string;
  at: string;
  decided_at: string | null;
  decided_by: string | null;
  decided_because: string | null;
};

export function toolPinOf(row: ToolPinRow): ToolPin {
  const { id, agent, server, tool, status, digest, definition, at } = row;
  return {
    id,
    agent,
    server,
    tool,
    status,
    digest,
    definition,
    nextDigest: row.next_digest,
    nextDefinition: row.next_definition,
    reasons: JSON.parse(row.because),
    at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    decisionReason: row.decided_because,
  };
}

/** What is done with tools at first sight that the screen lets through: they are pinned, or a person is asked. */
export type FirstSight = "screen" | "ask";

/**
 * What becomes of a tool that was seen: it stands as it is, it is pinned as it is now, it is held, or it is asked about
 * with the others that are seen for the first time.
 */
export function becomes(
  pin: ToolPin | undefined,
  { digest, reasons }: SeenTool,
  first: FirstSight,
): "same" | "pinned" | "held" | "asked" {
  if (pin === undefined) return reasons.length > 0 ? "held" : first === "ask" ? "asked" : "pinned";
  // A server that says again what a person or the screen let through is believed again.
  if (pin.digest === digest) return pin.status === "pinned" ? "same" : "pinned";
  return pin.status !== "pinned" && pin.nextDigest === digest ? "same" : "held";
}
