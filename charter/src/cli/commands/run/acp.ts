import { Writable } from "node:stream";
import { Problem } from "../../../prompt/problem.ts";
import { askModeIn } from "../../chat/ask-mode.ts";
import { mayCreate } from "../../chat/choose-agent.ts";
import { directoryOptions, noMoreWords, parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { askForSettings, settingsOption } from "../../shared/trust/settings-question.ts";

// The editor says where each session works, and is the only one that reads what is written.
const { cwd: _cwd, ...directory } = directoryOptions;
const { json: _json, ...database } = storeOptions;

const options = {
  ...database,
  ...directory,
  ...settingsOption,
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  model: { type: "string", short: "m" },
  window: { type: "string" },
  charter: { type: "string", short: "c" },
  lock: { type: "string" },
  ask: { type: "string" },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  if (args[0] === "probe") return (await import("../../acp/probe.ts")).run(args.slice(1));
  const { values, positionals } = parseOptions("acp", args, options);
  noMoreWords("acp", positionals);
  for (const name of ["agent", "user", "model", "window", "charter", "settings"] as const)
    if (values[name] === "")
      throw new Problem("usage", `--${name} is empty.`, "Give it a value, or leave it out; see charter acp --help.");
  const ask = askModeIn(values);
  const output = ownOutput();
  if (!output) return runApart(args);
  await askForSettings({ ...values, places: values }, false);
  const { serveStandardInput } = await import("../../acp/serve-editor.ts");
  return withStore(values, (store) => serveStandardInput(store, { ...values, ask }, output), {
    create: mayCreate(values),
  });
}

/**
 * Standard output is the protocol's alone, and anything in a process can print there: extensions, what they start, a
 * library. So the command runs in a child that has it under another number, and standard error in its place.
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

/** Nothing where this process has no other standard output than everyone in it. */
function ownOutput(): WritableStream<Uint8Array> | undefined {
  const { CHARTER_OUTPUT: number } = process.env;
  // What this process starts has none of its own.
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

/** Where no child can have it so: what is printed in this process goes to standard error, at least. */
function takeStandardOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, () => done()) });
}
