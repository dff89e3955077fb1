import { createEditor } from "../../../channels/editor/editor.ts";
import { defaultModelName, loadModel } from "../../../delivery/models/provider.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";
import type { Store } from "../../../store/store.ts";
import { sessionSetups } from "../../acp/session-setup.ts";
import { chooseAgent, mayCreate } from "../../chat/choose-agent.ts";
import { packageVersion } from "../../help/help.ts";
import { directoryOptions, noMoreWords, parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { userAtTerminal } from "../../shared/user-at-terminal.ts";

const { Readable, Writable } = process.getBuiltinModule("node:stream");

const { cwd: _, ...directory } = directoryOptions;
const { json: __, ...database } = storeOptions;

const options = {
  ...database,
  ...directory,
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  model: { type: "string", short: "m" },
  charter: { type: "string", short: "c" },
  lock: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  // merge: if (args[0] === "probe") return (await import("../../acp/probe.ts")).run(args.slice(1));
  const { values, positionals } = parseOptions("acp", args, options);
  noMoreWords("acp", positionals);
  for (const name of ["agent", "user", "model", "charter"] as const)
    if (values[name] === "")
      throw new Problem("usage", `--${name} is empty.`, "Give it a value, or leave it out; see charter acp --help.");
  return withStore(values, (store) => serve(store, values), { create: mayCreate(values) });
}

async function serve(store: Store, values: Values): Promise<number> {
  const output = takeStandardOutput();
  const { agent } = await chooseAgent(store, values);
  const { settings } = agent;
  const user = values.user ?? userAtTerminal();
  const editor = createEditor({
    store,
    agent: agent.name,
    user,
    zone: typeof settings.zone === "string" ? settings.zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
    model: await loadModel(values.model ?? agent.model ?? defaultModelName(process.env), { env: process.env }),
    setUp: await sessionSetups(agent, store, user, values),
  });
  const { serveEditor } = await import("../../../channels/editor/connection.ts");
  const info = { name: "charter", version: packageVersion() };
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const { fault } = await serveEditor({ editor, info, input, output });
  if (fault === undefined) return 0;
  process.stderr.write(`bad-client-message: The connection was ended: ${reasonOf(fault)}.\n`);
  return 1;
}

/** The protocol alone is written there; what anything else prints in this process goes to standard error. */
function takeStandardOutput(): WritableStream<Uint8Array> {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const out = new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, () => done()) });
  return Writable.toWeb(out) as WritableStream<Uint8Array>;
}
