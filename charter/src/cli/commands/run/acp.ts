import { Writable } from "node:stream";
import type { AcpInput } from "../../../operations/here/run.ts";
import type { Store } from "../../../store/store.ts";
import { mayCreate } from "../../chat/choose-agent.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { withStore } from "../../shared/store.ts";
import { askedHere } from "../../shared/trust/trusted-database.ts";

export async function run({ input, args, database }: ParsedCommand): Promise<number> {
  const values = input as AcpInput;
  const output = ownOutput();
  if (!output) return runApart(args);
  const here = await askedHere({ ...values, places: values }, false);
  const [{ serveStandardInput }, { configIn, hostOf }] = await Promise.all([
    import("../../acp/serve-editor.ts"),
    import("../../shared/host.ts"),
  ]);
  const config = await configIn(here, { database });
  const work = async (store: Store) => {
    const host = await hostOf(store, here, values, config);
    try {
      const { user = config.operator } = values;
      return await serveStandardInput(host, { ...values, here, user }, output);
    } finally {
      await host.close(0);
    }
  };
  return withStore({ database: config.database, here }, work, { create: mayCreate(values) });
}

/**
 * Runs the command in a child process whose real standard output has another number, with standard error in its place. The
 * protocol needs standard output for itself, and anything in a process can print there: extensions, processes they start, a
 * library.
 */
async function runApart(args: readonly string[]): Promise<number> {
  const [{ runChild }, { endAs }] = await Promise.all([
    import("../../../../bin/child.js"),
    import("../../../../bin/signals.js"),
  ]);
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const self = fileURLToPath(new URL("../../../../bin/charter.js", import.meta.url));
  const ended = await runChild(process.execPath, [...process.execArgv, self, "acp", ...args], { outputApart: true });
  if (ended.error) throw ended.error;
  endAs(ended);
  return ended.code ?? 1;
}

/** Stream of the protocol; undefined if this process shares its standard output. */
function ownOutput(): WritableStream<Uint8Array> | undefined {
  const { CHARTER_OUTPUT: number } = process.env;
  // Processes started from here have no such output, so the variable is deleted.
  delete process.env.CHARTER_OUTPUT;
  if (number !== undefined) return Writable.toWeb(outputAt(Number(number)));
  return process.platform === "win32" ? Writable.toWeb(takeStandardOutput()) : undefined;
}

function outputAt(fd: number): Writable {
  const { Socket } = process.getBuiltinModule("node:net");
  try {
    return new Socket({ fd, readable: false, writable: true });
  } catch {
    return process.getBuiltinModule("node:fs").createWriteStream("", { fd });
  }
}

/** Redirects what is printed in this process to standard error, where no child process can have an output of its own. */
function takeStandardOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, () => done()) });
}
