import { nearestName } from "../amend/override/misspelling.ts";
import { Problem } from "../prompt/problem.ts";

/** A command's heading in the overview, and what it is for. */
type CommandEntry = { readonly group: string; readonly says: string };

/** Lists every command, in the order of the overview. */
export const commands = {
  start: {
    group: "Run",
    says: "run everything on this machine: web chat, HTTP API, schedules, Telegram; no setup needed",
  },
  chat: { group: "Run", says: "chat with an agent in the terminal" },
  acp: {
    group: "Run",
    says: "run an agent in an editor that speaks the Agent Client Protocol: Zed, JetBrains, Neovim",
  },
  serve: { group: "Run", says: "run the HTTP API and the web chat, for other machines to reach" },
  work: { group: "Run", says: "run schedules, Telegram bots and agents that live by themselves, without HTTP" },
  show: { group: "Inspect", says: "print the exact prompt a model would get, as text or as a table" },
  why: { group: "Inspect", says: "find where a text in the prompt comes from: section, amendment, author" },
  history: { group: "Inspect", says: "list the amendments of a section" },
  turns: { group: "Inspect", says: "list turns: what was asked and answered" },
  sessions: {
    group: "Inspect",
    says: "list conversations: with whom, on which channel, how long, and what was first said",
  },
  replay: { group: "Inspect", says: "print the exact bytes that were sent to the model" },
  diff: { group: "Inspect", says: "compare the prompts of two turns, and show what caused a cache miss" },
  cost: { group: "Inspect", says: "show what turns have cost, by day and by model" },
  memory: { group: "Inspect", says: "list, search, add, change and delete an agent's notes" },
  conversations: { group: "Inspect", says: "list an agent's conversations" },
  files: { group: "Inspect", says: "list the files a coding agent's prompt is built from" },
  skills: { group: "Inspect", says: "list a coding agent's skills, and check them" },
  tools: { group: "Inspect", says: "list the tools an agent's model is offered" },
  mcp: {
    group: "Inspect",
    says: "list an agent's MCP servers and which of their tools it is offered; serve tools over MCP",
  },
  amend: { group: "Change", says: "change a section's text; guards check the change" },
  try: {
    group: "Change",
    says: "make past requests again with other words for a section, and see what they would cost",
  },
  revert: { group: "Change", says: "go back to an earlier revision of a section" },
  reset: { group: "Change", says: "go back to a section's original text" },
  approvals: { group: "Change", says: "list proposals, tool calls and tools waiting for approval" },
  approve: { group: "Change", says: "approve a proposal or a tool call that is waiting" },
  reject: { group: "Change", says: "reject a proposal or a tool call that is waiting" },
  freeze: { group: "Change", says: "stop amendments to an agent, or the agent itself" },
  thaw: { group: "Change", says: "let a frozen agent run and be amended again" },
  core: { group: "Change", says: "read and change a resident's core memory, and look after its relays" },
  trust: { group: "Change", says: "allow a directory to use its own prompt files, skills, code and settings" },
  init: { group: "Configure", says: "make a charter, a folder of Markdown, of a prompt you have" },
  agents: { group: "Configure", says: "list, add, configure and remove agents" },
  users: { group: "Configure", says: "list, invite and configure users" },
  models: { group: "Configure", says: "list the models agents can use, and test one" },
  tokens: { group: "Configure", says: "list, create and revoke tokens for the HTTP API" },
  schedules: { group: "Configure", says: "list, add and cancel scheduled turns" },
  inbox: {
    group: "Agents that live by themselves",
    says: "list messages to an agent and its replies; post, retry and discard messages",
  },
  automaton: {
    group: "Agents that live by themselves",
    says: "show how an agent is; grant it money, let it sleep, wake it",
  },
  check: { group: "Maintain", says: "check the project's charters and their cases; compare with another commit" },
  verify: { group: "Maintain", says: "verify the fixed texts and the database" },
  doctor: { group: "Maintain", says: "find problems, and what to do about them" },
  checkpoint: { group: "Maintain", says: "save the database to one file, and restore it" },
  import: { group: "Maintain", says: "import an older database" },
  export: { group: "Maintain", says: "export all data about one user or counterpart" },
  erase: { group: "Maintain", says: "erase all data about one user or counterpart" },
  retain: { group: "Maintain", says: "delete old receipts, events and deliveries" },
  migrate: { group: "Maintain", says: "bring the database schema up to date" },
  lock: { group: "Maintain", says: "pin the fixed texts in charter.lock" },
} as const satisfies Readonly<Record<string, CommandEntry>>;

export type CommandName = keyof typeof commands;

/** Returns the name if a command has it. */
export function commandNamed(name: string): CommandName {
  if (Object.hasOwn(commands, name)) return name as CommandName;
  const meant = nearestName(name, Object.keys(commands));
  const guess = meant === undefined ? "" : `Did you mean charter ${meant}? `;
  throw new Problem("usage", `There is no command “${name}”.`, `${guess}See them all: charter --help.`);
}
