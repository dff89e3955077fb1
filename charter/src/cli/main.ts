import { Problem } from "../prompt/problem.ts";

/** A command: its words on the command line in, an exit code out. Loaded only when it is asked for. */
export type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
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
  held: () => import("./held.ts"),
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
  const [name, ...rest] = args;
  try {
    if (
      name === undefined ||
      name === "help" ||
      name === "--help" ||
      name === "-h" ||
      rest.includes("--help") ||
      rest.includes("-h")
    )
      return await (await import("./help.ts")).printHelp(name === "help" ? rest[0] : name, Object.keys(commands));
    if (name === "--version" || name === "-v") return (await import("./help.ts")).printVersion();
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!load)
      throw new Problem(
        "usage",
        `There is no command “${name}”.`,
        `The commands are ${Object.keys(commands).join(", ")}; see charter --help.`,
      );
    return await (await load()).run(rest);
  } catch (error) {
    return (await import("./fail.ts")).fail(error, args.includes("--json"));
  }
}
