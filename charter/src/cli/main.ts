import { Problem } from "../prompt/problem.ts";
import { fail } from "./fail.ts";

/** A command: its words on the command line in, an exit code out. Loaded only when it is asked for. */
export type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
  show: () => import("./show.ts"),
  why: () => import("./why.ts"),
  amend: () => import("./amend.ts"),
  lock: () => import("./lock.ts"),
  verify: () => import("./verify.ts"),
  start: () => import("./start.ts"),
};

export async function main(args: readonly string[]): Promise<number> {
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
      return (await import("./help.ts")).printHelp(name === "help" ? rest[0] : name, Object.keys(commands));
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
    return fail(error, args.includes("--json"));
  }
}
