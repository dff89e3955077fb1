import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { knownChains } from "../../../channels/chain/chain-status.ts";
import { isStandInName, keyVariables } from "../../../delivery/models/provider.ts";
import type { StartInput } from "../../../operations/here/run.ts";
import { startText } from "../../../operations/print/automaton.ts";
import { colours, oneLine, pairs } from "../../../operations/print/columns.ts";
import { commandHere, databaseOption } from "../../../operations/print/command-name.ts";
import { wrapText } from "../../../operations/print/plain-text.ts";
import { signInLink } from "../../../operations/users/tokens.ts";
import { requireService } from "../../../packages/load-package.ts";
import { eitherOf, Problem, reasonOf } from "../../../prompt/problem.ts";
import { sharedSentences } from "../../../prompt/shared-text.ts";
import type { OpenedCharter } from "../../../server/open.ts";
import type { Store } from "../../../store/store.ts";
import { chooseAgent } from "../../chat/choose-agent.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import type { Demo } from "../../demo/demo.ts";
import { openServer, type ServerSetup, serverSetup, untilStopped } from "../../serve/open-server.ts";
import { defaultDatabase, type StoreValues, withStore } from "../../shared/store.ts";
import { createHere } from "../../shared/trust/here.ts";

const usualPort = 4747;

type Values = StartInput & StoreValues & Pick<ParsedCommand, "json">;

/** Runs everything on this machine, in one process, with nothing to configure. */
export async function run({ input, json, database: named }: ParsedCommand): Promise<number> {
  const values: Values = { ...input, json, database: named };
  requireService({ purpose: "charter start" });
  if (values.fresh && !values.demo)
    throw new Problem(
      "usage",
      "--fresh makes a demo anew, and --demo was not given.",
      "Give both: charter start --demo --fresh. Any other database stays as it is.",
    );
  const demo = values.demo ? await (await import("../../demo/demo.ts")).prepareDemo(values) : undefined;
  const setup = demo
    ? { config: demo.config, here: createHere({ said: { without: true } }) }
    : await serverSetup(values);
  const { config, here } = setup;
  if (config.host !== undefined && !/^(?:127\.|localhost$|::1$)/.test(config.host))
    throw new Problem(
      "usage",
      `charter start is for this machine alone, and the host is ${config.host}.`,
      "For others to reach it: charter serve --host …",
    );
  const { database } = config;
  return withStore({ database, here }, (store) => start(store, setup, values, demo), { create: demo === undefined });
}

async function start(store: Store, setup: ServerSetup, values: Values, demo: Demo | undefined): Promise<number> {
  const { config } = setup;
  if (!demo && (await store.agents.list()).length === 0) await chooseAgent({ store }, {});
  const opened = await openAt(store, setup, { quiet: !values.verbose, given: demo?.options });
  // Signals are handled before the address is printed: whoever reads it may stop the process at once.
  const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
  const link = await signInLink(store, config.url ?? (opened.url as string));
  const about = demo ? { demo: { made: demo.made.toISOString(), tries: demo.tries } } : {};
  if (values.json) process.stdout.write(`${JSON.stringify({ ...(await factsOf(opened, store, link)), ...about })}\n`);
  else {
    const moved = config.port === undefined && !opened.url?.endsWith(`:${usualPort}`);
    const lines = demo
      ? (await import("../../demo/demo.ts")).demoBanner({ demo, link, moved, url: opened.url as string })
      : await banner(opened, store, { link, moved, setup });
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  if (process.stdout.isTTY && !values.noOpen && !values.json) openPage(link);
  await stopped;
  return 0;
}

/**
 * Opens the server at its port, or the next free one: another process that starts at the same moment may take a port that was
 * just free.
 */
async function openAt(
  store: Store,
  { config, here }: ServerSetup,
  { quiet, given }: { readonly quiet: boolean; readonly given: Demo["options"] | undefined },
): Promise<OpenedCharter> {
  const duties = { http: true, schedules: true, polling: true, webhooks: true, automata: true };
  for (let first = usualPort; ; ) {
    const port = config.port ?? (await freePort(first));
    try {
      return await openServer(store, { here, config: { ...config, port } }, duties, quiet, given);
    } catch (error) {
      const isPortTaken = error instanceof Problem && error.code === "port-taken" && config.port === undefined;
      if (!isPortTaken || port === 0) throw error;
      first = port + 1;
    }
  }
}

async function factsOf({ url, host, bots, automata }: OpenedCharter, store: Store, link: string) {
  const agents = (await store.agents.list()).map(({ name }) => name);
  const model = await host.modelOf(agents[0] as string).catch(() => undefined);
  const telegram = Object.fromEntries([...bots].map(([agent, name]) => [agent, name ?? null]));
  return { url, link, database: store.home.place, agents, model: model?.receiver.name ?? null, telegram, automata };
}

/** Reason why there is no model: an unknown name, a missing key, or an untrusted charter. */
function whyNone({ host }: OpenedCharter, agent: string): Promise<string> {
  return host.modelOf(agent).then(
    ({ receiver }) => receiver.name,
    (error) => `none: ${reasonOf(error)}`,
  );
}

function telegramText(bots: readonly string[], { undecided }: OpenedCharter): string {
  if (bots.length > 0) return bots.join(", ");
  const [first] = undecided;
  return first === undefined ? "off; docs/telegram.md says how to turn it on" : `off: ${first.message}`;
}

/** Rows about the chains of automata: where they are, and what keeps them from being read now. */
async function chainRows({ automata }: OpenedCharter, { config, here }: ServerSetup): Promise<[string, string][]> {
  const { askChain } = await import("../../../channels/chain/chain-view.ts");
  const known = [...knownChains(config, await here.environment())].filter(([agent]) => automata.includes(agent));
  return Promise.all(
    known.map(
      async ([agent, chain]): Promise<[string, string]> => ["chain", startText(agent, chain, await askChain(chain))],
    ),
  );
}

/** Says of the first agents which text all users of theirs are sent, and one user's turn may change. */
async function sharedLines({ host }: OpenedCharter, agents: readonly string[]): Promise<string[]> {
  const told = agents.slice(0, 10).map(async (agent) => {
    const snapshot = await host.snapshot({ agent }).catch(() => undefined);
    return (snapshot ? sharedSentences(snapshot.declaredTurn.charter) : []).map((says) => `${agent}: ${says}`);
  });
  return (await Promise.all(told)).flat();
}

async function banner(
  opened: OpenedCharter,
  store: Store,
  { link, moved, setup }: { readonly link: string; readonly moved: boolean; readonly setup: ServerSetup },
): Promise<string[]> {
  const { bold, cyan, dim, yellow } = colours(process.stdout);
  const { url, agents, model, telegram, database, automata } = await factsOf(opened, store, link);
  const bots = Object.entries(telegram).map(([agent, name]) => (name ? `@${name} (${agent})` : agent));
  const width = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  const base = link.slice(0, link.indexOf("/sign-in#"));
  const there = base === `http://127.0.0.1:${usualPort}` ? "" : `--url ${base}`;
  const options = databaseOption(database, { usual: defaultDatabase, alone: true });
  const another = [commandHere(), "tokens sign-in", options, there].filter((one) => one !== "").join(" ");
  const rows: [string, string][] = [
    ["agents", agents.join(", ")],
    ["model", model ?? (await whyNone(opened, agents[0] as string))],
    ["telegram", telegramText(bots, opened)],
    ...(automata.length === 0 ? [] : [["automata", automata.join(", ")] as [string, string]]),
    ...(await chainRows(opened, setup)),
    ["database", database],
    ["api", `${url}/docs (once you are signed in)`],
  ];
  return [
    `${bold("Charter")} is running at ${cyan(url as string)}${moved ? ` (${usualPort} is taken)` : ""}`,
    "",
    "Sign in, once, within ten minutes:",
    `  ${cyan(link)}`,
    ...wrapText(`Another link: ${another}`, width).map(dim),
    "",
    ...pairs(rows, process.stdout),
    ...(await sharedLines(opened, agents)).flatMap((line) => wrapText(oneLine(line), width)),
    ...(model !== null && isStandInName(model)
      ? wrapText(
          `No model is connected: a script answers. For a real one set ${eitherOf(keyVariables)}, or describe your own in models.json: docs/models.md.`,
          width,
        ).map(yellow)
      : []),
    dim("Ctrl-C stops it."),
  ];
}

/** Finds a free port from this one on: another Charter may be running. */
export async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + 20; port++) if (await isFree(port)) return port;
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Opens a page in the person's browser. Without one nothing happens, since the link was printed. */
export function openPage(url: string): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === "linux" && !DISPLAY && !WAYLAND_DISPLAY) return;
  const [program, ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["explorer", url]
        : ["xdg-open", url];
  const child = spawn(program as string, args, { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
