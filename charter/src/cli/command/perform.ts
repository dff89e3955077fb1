import { commandCaller } from "../../operations/caller.ts";
import { withNeededUser, withOnlyOnes } from "../../operations/only-one.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { morePages } from "../../operations/print/columns.ts";
import { databaseOption } from "../../operations/print/command-name.ts";
import { type StoreValues, userAtTerminal, withStore } from "../shared/store.ts";
import { addressOf } from "../shared/trust/here.ts";
import type { ParsedCommand } from "./parse-command.ts";

/** Runs a parsed command as its operation declares. */
export async function runDeclared(parsed: ParsedCommand): Promise<number> {
  const { operation, database, input } = parsed;
  const { lock } = input as { readonly lock?: string };
  return asOperator({ database, lock }, (context) => perform(parsed, context), operation.makesDatabase === true);
}

/** Opens the database, and does the work as its operator. */
export async function asOperator(
  values: StoreValues & { readonly lock?: string | undefined },
  work: (context: OperationContext) => Promise<number>,
  create = false,
): Promise<number> {
  return withStore(
    values,
    async (store, here) => {
      let host: ReturnType<OperationContext["host"]> | undefined;
      const hostHere = () => {
        host ??= import("../shared/host.ts").then(({ hostOf }) => hostOf(store, here, { lock: values.lock }));
        return host;
      };
      const context = {
        store,
        host: hostHere,
        caller: commandCaller,
        clock: () => new Date(),
        operator: userAtTerminal(),
        service: {
          address: () => addressOf(here),
          automata: async () => (await import("../shared/trusted-settings.ts")).automataHere(here),
        },
      };
      try {
        return await work(context);
      } finally {
        await (await host)?.close(0);
      }
    },
    { create },
  );
}

/** Runs the operation, and prints its answer: one JSON document, or lines for a person. */
async function perform(parsed: ParsedCommand, context: OperationContext): Promise<number> {
  const { store } = context;
  const run = async (input: ParsedCommand["input"]) => {
    if (!parsed.operation.run) throw new Error(`“${parsed.operation.name}” has a command and nothing to run.`);
    return printAnswer({ ...parsed, input }, await parsed.operation.run(context, input));
  };
  const input = await withOnlyOnes(store, parsed);
  try {
    return await run(input);
  } catch (error) {
    return run(await withNeededUser(store, { ...parsed, input }, error));
  }
}

/** Prints an answer as its operation declares; returns the exit code. */
export function printAnswer({ operation, input, json, database }: ParsedCommand, answer: unknown): number {
  const there = database === undefined ? "" : ` ${databaseOption(database, { usual: "", alone: true })}`;
  const printed = operation.lines?.(answer, input, there) ?? [];
  const { out, err = [], code = 0 } = "out" in printed ? printed : { out: printed };
  if (json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else {
    const lines = [...out, ...morePages(answer, input)];
    if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
    if (err.length > 0) process.stderr.write(`${err.join("\n")}\n`);
  }
  return code;
}
