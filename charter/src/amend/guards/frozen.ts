import type { Guard } from "../guard.ts";

/** The operator's brake: nothing is amended while it is on, by anyone. */
export function frozen(agent: string, what: "amendments" | "agent"): Guard {
  const stopped = what === "agent" ? `“${agent}” is` : `All amendments of “${agent}” are`;
  return () => ({ guard: "frozen", because: `${stopped} frozen. The operator thaws it: charter thaw ${agent}.` });
}
