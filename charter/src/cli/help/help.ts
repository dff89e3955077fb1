import { readFileSync } from "node:fs";
import { Problem } from "../../prompt/problem.ts";

const pages: Readonly<Record<string, () => Promise<{ readonly help: string }>>> = {
  chat: () => import("./chat.ts"),
  show: () => import("./show.ts"),
  why: () => import("./why.ts"),
  files: () => import("./files.ts"),
  skills: () => import("./skills.ts"),
  trust: () => import("./trust.ts"),
  amend: () => import("./amend.ts"),
  history: () => import("./history.ts"),
  revert: () => import("./revert.ts"),
  reset: () => import("./reset.ts"),
  approvals: () => import("./approvals.ts"),
  approve: () => import("./approve.ts"),
  reject: () => import("./reject.ts"),
  agents: () => import("./agents.ts"),
  users: () => import("./users.ts"),
  tokens: () => import("./tokens.ts"),
  schedules: () => import("./schedules.ts"),
  turns: () => import("./turns.ts"),
  replay: () => import("./replay.ts"),
  diff: () => import("./diff.ts"),
  memory: () => import("./memory.ts"),
  conversations: () => import("./conversations.ts"),
  verify: () => import("./verify.ts"),
  doctor: () => import("./doctor.ts"),
  migrate: () => import("./migrate.ts"),
  checkpoint: () => import("./checkpoint.ts"),
  import: () => import("./import.ts"),
  export: () => import("./export.ts"),
  erase: () => import("./erase.ts"),
  retain: () => import("./retain.ts"),
  freeze: () => import("./freeze.ts"),
  thaw: () => import("./thaw.ts"),
  lock: () => import("./lock.ts"),
  start: () => import("./start.ts"),
  serve: () => import("./serve.ts"),
  work: () => import("./work.ts"),
};

const overview = `charter: the system-prompt runtime for agents

Talk
  start           everything on this machine: web chat, HTTP API, schedules, Telegram; nothing needs to be set up
  chat            with an agent, here in the terminal
  serve           the API and the chat, for others to reach
  work            schedules and bots, beside it; any number of both

Look
  show            the exact prompt a model would be given, whole or as a table
  why             who wrote these words of it
  history         how a section came to its words
  turns           what was asked and answered;   replay   the very bytes that were sent
  diff            what changed between two turns, and what broke the cached prefix
  memory          what an agent remembers;       conversations   with whom it speaks
  files           what a coding agent's prompt is made of here;   skills   what it can load

Change
  agents          the agents there are; add one, set it up;   users   their time zones, their Telegram chats
  tokens          keys to the API;                            schedules   turns that come by themselves
  amend           change a section's words, under guard;      revert, reset   go back
  held            what waits for a person;                    approve, reject   decide
  trust           let a project bring its own prompt, skills and extensions
  freeze, thaw    stop all amendments of an agent, or the agent itself

Keep
  verify          is everything as it was written?            doctor   what needs a hand
  checkpoint      save and restore, in one file
  import          bring an old database over;                 export, erase   one user's data
  retain          how long receipts and events are kept;      migrate   the schema, up to date
  lock            pin the fixed words in charter.lock

Try:
  charter start
  charter chat
  charter chat --charter coder
  charter show --charter sovereign --table
  charter agents add ada --charter assistant
  charter amend --agent ada --user bo --section instructions --operation rewrite --content "Be brief." --actor user
  charter history --agent ada --user bo instructions

charter <command> --help tells more. --version tells which one this is.`;

export async function printHelp(command: string | undefined, commands: readonly string[]): Promise<number> {
  if (command === undefined || command.startsWith("-")) {
    await print(overview);
    return 0;
  }
  const page = Object.hasOwn(pages, command) ? pages[command] : undefined;
  if (page === undefined)
    throw new Problem(
      "usage",
      `There is no command “${command}”.`,
      `The commands are ${commands.join(", ")}; see charter --help.`,
    );
  await print((await page()).help);
  return 0;
}

async function print(page: string): Promise<void> {
  const { isTTY, columns } = process.stdout;
  const narrow = isTTY && columns && page.split("\n").some((line) => line.length > columns);
  process.stdout.write(`${narrow ? (await import("./wrap-help.ts")).wrapHelp(page, columns) : page}\n`);
}

export function printVersion(): number {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  process.stdout.write(`${manifest.version}\n`);
  return 0;
}
