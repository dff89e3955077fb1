import { Problem } from "../prompt/problem.ts";
import { lookAnew } from "./shared/trust/run.ts";

/** A command: its words on the command line in, an exit code out. Loaded only when it is asked for. */
export type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
  chat: () => import("./commands/run/chat.ts"),
  acp: () => import("./commands/run/acp.ts"),
  show: () => import("./commands/inspect/show.ts"),
  why: () => import("./commands/inspect/why.ts"),
  files: () => import("./commands/inspect/files.ts"),
  skills: () => import("./commands/inspect/skills.ts"),
  mcp: () => import("./commands/inspect/mcp.ts"),
  trust: () => import("./commands/change/trust.ts"),
  amend: () => import("./commands/change/amend.ts"),
  core: () => import("./commands/core/core.ts"),
  history: () => import("./commands/inspect/history.ts"),
  revert: () => import("./commands/change/revert.ts"),
  reset: () => import("./commands/change/reset.ts"),
  approvals: () => import("./commands/change/approvals.ts"),
  approve: () => import("./commands/change/approve.ts"),
  reject: () => import("./commands/change/reject.ts"),
  agents: () => import("./commands/change/agents.ts"),
  users: () => import("./commands/change/users.ts"),
  tokens: () => import("./commands/change/tokens.ts"),
  schedules: () => import("./commands/change/schedules.ts"),
  inbox: () => import("./commands/change/inbox.ts"),
  automaton: () => import("./commands/change/automaton.ts"),
  turns: () => import("./commands/inspect/turns.ts"),
  sessions: () => import("./commands/inspect/sessions.ts"),
  replay: () => import("./commands/inspect/replay.ts"),
  diff: () => import("./commands/inspect/diff.ts"),
  memory: () => import("./commands/inspect/memory.ts"),
  conversations: () => import("./commands/inspect/conversations.ts"),
  verify: () => import("./commands/maintain/verify.ts"),
  doctor: () => import("./commands/maintain/doctor.ts"),
  migrate: () => import("./commands/maintain/migrate.ts"),
  checkpoint: () => import("./commands/maintain/checkpoint.ts"),
  import: () => import("./commands/maintain/import.ts"),
  export: () => import("./commands/maintain/export.ts"),
  erase: () => import("./commands/maintain/erase.ts"),
  retain: () => import("./commands/maintain/retain.ts"),
  freeze: () => import("./commands/change/freeze.ts"),
  thaw: () => import("./commands/change/thaw.ts"),
  lock: () => import("./commands/maintain/lock.ts"),
  start: () => import("./commands/run/start.ts"),
  serve: () => import("./commands/run/serve.ts"),
  work: () => import("./commands/run/work.ts"),
};

export async function main(args: readonly string[]): Promise<number> {
  const code = await answer(args);
  return Symbol.for("charter-extension") in globalThis ? leave(code) : code;
}

/** What an extension left running (a timer, a server) does not keep a command from ending, once all is written. */
async function leave(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
  process.exit(code);
}

async function answer(args: readonly string[]): Promise<number> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const terminals = [process.stdout, process.stderr].filter(({ isTTY }) => isTTY);
  if (terminals.length > 0) terminals.forEach((await import("./terminal/plain-text.ts")).showMarks);
  lookAnew();
  const [name, ...rest] = args;
  // What comes after “--” is another command's.
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  try {
    if (
      name === undefined ||
      name === "help" ||
      name === "--help" ||
      name === "-h" ||
      own.includes("--help") ||
      own.includes("-h")
    )
      return await (await import("./help/help.ts")).printHelp(name === "help" ? own : args, Object.keys(commands));
    if (name === "--version" || name === "-v") return (await import("./help/help.ts")).printVersion();
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!load)
      throw new Problem(
        "usage",
        `There is no command “${name}”.`,
        `The commands are ${Object.keys(commands).join(", ")}; see charter --help.`,
      );
    return await (await load()).run(rest);
  } catch (error) {
    return (await import("./shared/fail.ts")).fail(error, args.includes("--json"));
  }
}
