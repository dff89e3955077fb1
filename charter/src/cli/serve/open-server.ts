import { ignoresHangup, isUnderNpm, numberOf } from "../../../bin/signals.js";
import { priceNotices } from "../../host/models/host-models.ts";
import { commandHere, databaseOption, hintsHere } from "../../operations/print/command-name.ts";
import type { Config, ConfigValues } from "../../server/config.ts";
import { isLoopback } from "../../server/http/this-server.ts";
import { type OpenedCharter, type OpenOptions, openCharter, type Services } from "../../server/open.ts";
import type { Store } from "../../store/store.ts";
import { configIn } from "../shared/host.ts";
import { defaultDatabase } from "../shared/store.ts";
import type { Here } from "../shared/trust/here.ts";
import { askedHere, checkCharterFile, mayAskHere, type SettingsValues } from "../shared/trust/trusted-database.ts";

type ServerValues = ConfigValues & SettingsValues & { readonly json?: boolean | undefined };

/** What a server runs by: its settings, and the directory that may say more when it is asked. */
export type ServerSetup = { readonly here: Here; readonly config: Config };

export async function serverSetup(values: ServerValues): Promise<ServerSetup> {
  const here = await askedHere(values, mayAskHere(values));
  return { here, config: await configIn(here, values) };
}

/** Requests are logged on standard error, a JSON line each. */
export async function openServer(
  store: Store,
  { here, config }: ServerSetup,
  services: Services,
  quiet: boolean,
  given: Partial<OpenOptions> = {},
): Promise<OpenedCharter> {
  const { createLog, createLogStream } = await import("../../server/observe/log.ts");
  const stream = createLogStream(process.stderr);
  const log = createLog(stream.write, quiet ? "problems" : "all");
  // What a command prints is its result, and ends it where it cannot be written. A server's is what it does.
  process.stdout.removeAllListeners("error").on("error", () => {});
  const opened = await openCharter({
    store,
    config,
    services,
    env: given.env ?? (await here.environment()),
    log,
    lostLines: stream.lost,
    command: commandHere(),
    commandOptions: databaseOption(store.home.place, {
      usual: defaultDatabase,
      alone: isLoopback(config.host ?? "127.0.0.1"),
    }),
    checkCharter: (agent) => checkCharterFile(store, agent),
    ...given,
  });
  for (const { code, message, hint } of opened.undecided)
    process.stderr.write(`${hintsHere(`notice: ${code}: ${message} ${hint}`)}\n`);
  for (const { code, message } of priceNotices(await opened.host.spendingLimits()))
    process.stderr.write(`notice: ${code}: ${message}\n`);
  return opened;
}

/** One Ctrl-C comes twice under npx, which passes on what has reached everyone; so does a terminal that is closed. */
const oneMoment = isUnderNpm() ? 2000 : 500;

/** Waits until someone says stop (Ctrl-C, a polite kill), and closes in peace; a second time ends it at once. */
export async function untilStopped(opened: OpenedCharter, tell: (words: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (asked !== undefined && now - asked < oneMoment) return;
    if (asked !== undefined) process.exit(128 + numberOf(signal));
    asked = now;
    const running = opened.host.runningTurns();
    const waits =
      running === 0
        ? ""
        : ` when ${running === 1 ? "the running turn ends" : `${running} running turns end`}; Ctrl-C again stops at once`;
    tell(`Stopping${waits}.`);
    resolve();
  };
  // To the very end: one that comes late must not cut off the closing of the store.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  process.on("SIGHUP", ignoresHangup() ? () => {} : stop);
  await promise;
  await opened.close();
}
