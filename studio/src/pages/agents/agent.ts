import type { AgentListAnswer } from "charter/answers";

/** An agent as an operator is told of it. */
export type Agent = AgentListAnswer["agents"][number];
