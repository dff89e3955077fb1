import type { Guard } from "../guard.ts";

/** Guard: refuses every change, by anyone. For agents that the operator has frozen, wholly or only their amendments. */
export function frozen(agent: string, what: "amendments" | "agent"): Guard {
  const stopped = what === "agent" ? `“${agent}” is` : `All amendments of “${agent}” are`;
  return () => ({ guard: "frozen", because: `${stopped} frozen. The operator thaws it: charter thaw ${agent}.` });
}
