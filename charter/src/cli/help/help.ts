import { readFileSync } from "node:fs";
import { Problem } from "../../prompt/problem.ts";

type Chapter = { readonly pages: Readonly<Record<string, string>> };

/** The commands by chapter, as in the overview. A chapter is loaded only when one of its pages is asked for. */
const chapters: readonly (readonly [commands: readonly string[], load: () => Promise<Chapter>])[] = [
  [["start", "chat", "acp", "serve", "work"], () => import("./run.ts")],
  [["acp probe"], () => import("./probe.ts")],
  [
    [
      "show",
      "why",
      "history",
      "turns",
      "sessions",
      "replay",
      "diff",
      "memory",
      "conversations",
      "files",
      "skills",
      "mcp",
    ],
    () => import("./inspect.ts"),
  ],
  [
    ["amend", "revert", "reset", "approvals", "approve", "reject", "freeze", "thaw", "trust"],
    () => import("./change.ts"),
  ],
  [["core"], () => import("./core.ts")],
  [["agents", "users", "tokens", "schedules"], () => import("./setup.ts")],
  [["inbox", "automaton"], () => import("./automaton.ts")],
  [
    ["verify", "doctor", "checkpoint", "import", "export", "erase", "retain", "migrate", "lock"],
    () => import("./maintain.ts"),
  ],
];

const overview = `charter: the system-prompt runtime for agents

Run
  start             run everything on this machine: web chat, HTTP API, schedules, Telegram; no setup needed
  chat              chat with an agent in the terminal
  acp               run an agent in an editor that speaks the Agent Client Protocol: Zed, JetBrains, Neovim
  serve             run the HTTP API and the web chat, for other machines to reach
  work              run schedules, Telegram bots and agents that live by themselves, without HTTP

Inspect
  show              print the exact prompt a model would get, as text or as a table
  why               find where a text in the prompt comes from: section, amendment, author
  history           list the amendments of a section
  turns             list turns: what was asked and answered
  sessions          list conversations: with whom, on which channel, how long, and what was first said
  replay            print the exact bytes that were sent to the model
  diff              compare the prompts of two turns, and show what caused a cache miss
  memory            list, search, add, change and delete an agent's notes
  conversations     list an agent's conversations
  files             list the files a coding agent's prompt is built from
  skills            list a coding agent's skills, and check them
  mcp               list an agent's MCP servers, and which of their tools it is offered

Change
  amend             change a section's text; guards check the change
  revert, reset     go back to an earlier revision, or to the original text
  approvals         list proposals, tool calls and tools waiting for approval
  approve, reject   decide about one of them
  freeze, thaw      stop amendments to an agent, or the agent itself, and resume
  core              read and change a resident's core memory, and look after its relays
  trust             allow a directory to use its own prompt files, skills, code and settings

Set up
  agents            list, add and configure agents
  users             list, invite and configure users: time zones, Telegram chats
  tokens            list, create and revoke tokens for the HTTP API
  schedules         list, add and cancel scheduled turns

Agents that live by themselves
  inbox             list messages to an agent and its replies; post, retry and discard messages
  automaton         show how an agent is; grant it money, let it sleep, wake it

Maintain
  verify            verify the fixed texts and the database
  doctor            find problems, and what to do about them
  checkpoint        save the database to one file, and restore it
  import            import an older database
  export, erase     export or erase all data about one user or counterpart
  retain            delete old receipts, events and deliveries
  migrate           bring the database schema up to date
  lock              pin the fixed texts in charter.lock

Try:
  charter start
  charter chat
  charter chat --charter coder
  charter show --charter sovereign --table
  charter agents add ada --charter assistant
  charter amend --agent ada --user bo --section instructions --operation rewrite --content "Be brief." --actor user
  charter history --agent ada --user bo instructions

charter <command> --help explains a command. charter --version prints the version.`;

/** The page of a command, or of two words of it that have a page of their own; the overview without any. */
export async function printHelp(words: readonly string[], commands: readonly string[]): Promise<number> {
  const [command, second] = words;
  if (command === undefined || command.startsWith("-")) {
    await print(overview);
    return 0;
  }
  const page = (await pageOf(`${command} ${second}`)) ?? (await pageOf(command));
  if (page === undefined)
    throw new Problem(
      "usage",
      `There is no command “${command}”.`,
      `The commands are ${commands.join(", ")}; see charter --help.`,
    );
  await print(page);
  return 0;
}

async function pageOf(command: string): Promise<string | undefined> {
  const load = chapters.find(([its]) => its.includes(command))?.[1];
  return (await load?.())?.pages[command];
}

async function print(page: string): Promise<void> {
  const { isTTY, columns } = process.stdout;
  const narrow = isTTY && columns && page.split("\n").some((line) => line.length > columns);
  process.stdout.write(`${narrow ? (await import("./wrap-help.ts")).wrapHelp(page, columns) : page}\n`);
}

export function printVersion(): number {
  process.stdout.write(`${packageVersion()}\n`);
  return 0;
}

export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
