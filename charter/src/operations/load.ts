import type { CommandName } from "./commands.ts";
import type { Operation } from "./operation.ts";

type Load = () => Promise<{ readonly operations: readonly Operation[] }>;

/** Modules with the operations of each command, loaded only when the command is run. */
const subjects: Readonly<Record<CommandName, Load>> = {
  agents: () => import("./agents.ts"),
  freeze: () => import("./agents.ts"),
  thaw: () => import("./agents.ts"),
  approvals: () => import("./approvals/approvals.ts"),
  approve: () => import("./approvals/approvals.ts"),
  reject: () => import("./approvals/approvals.ts"),
  conversations: () => import("./conversations/conversations.ts"),
  sessions: () => import("./conversations/sessions.ts"),
  memory: () => import("./conversations/memory.ts"),
  models: () => import("./models.ts"),
  tools: () => import("./tools.ts"),
  show: () => import("./prompt/prompt.ts"),
  why: () => import("./prompt/prompt.ts"),
  amend: () => import("./sections/sections.ts"),
  try: () => import("./sections/sections.ts"),
  revert: () => import("./sections/sections.ts"),
  reset: () => import("./sections/sections.ts"),
  history: () => import("./sections/sections.ts"),
  schedules: () => import("./schedules.ts"),
  automaton: () => import("./automaton.ts"),
  mcp: () => import("./mcp.ts"),
  core: () => import("./core.ts"),
  inbox: () => import("./inbox/inbox.ts"),
  start: () => import("./here/run.ts"),
  serve: () => import("./here/run.ts"),
  work: () => import("./here/run.ts"),
  chat: () => import("./here/run.ts"),
  acp: () => import("./here/run.ts"),
  files: () => import("./here/project.ts"),
  skills: () => import("./here/project.ts"),
  trust: () => import("./here/project.ts"),
  check: () => import("./here/check.ts"),
  verify: () => import("./here/maintain.ts"),
  doctor: () => import("./here/maintain.ts"),
  migrate: () => import("./here/maintain.ts"),
  checkpoint: () => import("./here/maintain.ts"),
  import: () => import("./here/maintain.ts"),
  retain: () => import("./here/maintain.ts"),
  lock: () => import("./here/maintain.ts"),
  init: () => import("./here/maintain.ts"),
  users: () => import("./users/users.ts"),
  tokens: () => import("./users/tokens.ts"),
  export: () => import("./users/erase.ts"),
  erase: () => import("./users/erase.ts"),
  turns: () => import("./turns/turns.ts"),
  replay: () => import("./turns/replay.ts"),
  cost: () => import("./turns/cost.ts"),
  diff: () => import("./turns/diff.ts"),
};

/** Loads the operations of a command. */
export async function operationsOf(command: CommandName): Promise<readonly Operation[]> {
  const { operations } = await subjects[command]();
  return operations.filter((one) => one.command?.split(" ")[0] === command);
}
