import { commandNamed } from "../operations/commands.ts";
import type { CommandHandler } from "./command/run-command.ts";

/** Handlers of operations that talk, serve, or work on files of this machine. Each is loaded only when it is used. */
const handlers: Readonly<Record<string, () => Promise<{ readonly run: CommandHandler }>>> = {
  "prompt.show": () => import("./commands/show.ts"),
  "prompt.why": () => import("./commands/why.ts"),
  "sections.amend": () => import("./commands/amend.ts"),
  "agents.add": () => import("./commands/agents.ts"),
  "agents.set": () => import("./commands/agents.ts"),
  "mcp.serve": () => import("./commands/run/mcp-serve.ts"),
  "automaton.price": () => import("./commands/message-price.ts"),
  "agents.remove": () => import("./commands/agents.ts"),
  "here.start": () => import("./commands/run/start.ts"),
  "here.serve": () => import("./commands/run/serve.ts"),
  "here.work": () => import("./commands/run/serve.ts"),
  "here.chat": () => import("./commands/run/chat.ts"),
  "here.acp": () => import("./commands/run/acp.ts"),
  "here.probe": () => import("./acp/probe.ts"),
  "files.list": () => import("./commands/project.ts"),
  "skills.list": () => import("./commands/project.ts"),
  "skills.check": () => import("./commands/project.ts"),
  "trust.set": () => import("./commands/project.ts"),
  "here.check": () => import("./commands/maintain/check.ts"),
  "here.verify": () => import("./commands/maintain/database.ts"),
  "here.doctor": () => import("./commands/maintain/doctor.ts"),
  "here.migrate": () => import("./commands/maintain/database.ts"),
  "checkpoint.save": () => import("./commands/maintain/database.ts"),
  "checkpoint.inspect": () => import("./commands/maintain/database.ts"),
  "checkpoint.restore": () => import("./commands/maintain/database.ts"),
  "here.import": () => import("./commands/maintain/import.ts"),
  "here.init": () => import("./commands/init.ts"),
  "here.lock": () => import("./commands/maintain/lock.ts"),
  "invitations.create": () => import("./commands/invite.ts"),
  "users.export": () => import("./commands/export.ts"),
  "turns.replay": () => import("./commands/replay.ts"),
};

export async function main(args: readonly string[]): Promise<number> {
  const code = await answer(args);
  return ["charter-extension", "charter-connection"].some((mark) => Symbol.for(mark) in globalThis)
    ? leave(code)
    : code;
}

/** Exits once all output is written. What an extension left running, or an open connection, must not keep the process alive. */
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
  if (terminals.length > 0) terminals.forEach((await import("../operations/print/plain-text.ts")).showMarks);
  const [name, ...rest] = args;
  // Arguments after “--” are another command's.
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
      return await (await import("./help/help.ts")).printHelp(name === "help" ? own : args);
    if (name === "--version" || name === "-v") return (await import("./help/help.ts")).printVersion();
    const command = commandNamed(name);
    return await (await import("./command/run-command.ts")).runCommand(command, { args: rest, handlers });
  } catch (error) {
    return (await import("./shared/fail.ts")).fail(error, args.includes("--json"));
  }
}
