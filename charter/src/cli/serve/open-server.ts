import { ignoresHangup, isUnderNpm, numberOf } from "../../../bin/signals.js";
import { priceNotices } from "../../host/models/host-models.ts";
import { commandHere, databaseOption, hintsHere } from "../../operations/print/command-name.ts";
import type { Config, ConfigValues } from "../../server/config.ts";
import { isLoopback } from "../../server/http/this-server.ts";
import { createLog, createLogStream } from "../../server/observe/log.ts";
import { type OpenedCharter, type OpenOptions, openCharter, type Services } from "../../server/open.ts";
import type { Store } from "../../store/store.ts";
import { configIn } from "../shared/host.ts";
import { defaultDatabase } from "../shared/store.ts";
import type { Here } from "../shared/trust/here.ts";
import { askedHere, checkCharterFile, mayAskHere, type SettingsValues } from "../shared/trust/trusted-database.ts";

type ServerValues = ConfigValues & SettingsValues & { readonly json?: boolean | undefined };

/** Setup of a server: its settings, and the directory they come from. */
export type ServerSetup = { readonly here: Here; readonly config: Config };

export async function serverSetup(values: ServerValues): Promise<ServerSetup> {
  const here = await askedHere(values, mayAskHere(values));
  return { here, config: await configIn(here, values) };
}

/** Opens the server. Requests are logged on standard error, one line of JSON each. */
export async function openServer(
  store: Store,
  { here, config }: ServerSetup,
  services: Services,
  quiet: boolean,
  given: Partial<OpenOptions> = {},
): Promise<OpenedCharter> {
  const stream = createLogStream(process.stderr);
  const log = createLog(stream.write, quiet ? "problems" : "all");
  // A command ends when its output cannot be written, since that is its result. A server goes on.
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

/**
 * Milliseconds within which a second signal counts as the same: npx passes on a Ctrl-C that has reached every process, and so
 * does a closing terminal.
 */
const repeatedSignalMs = isUnderNpm() ? 2000 : 500;

/** Waits for a signal to stop (Ctrl-C, kill), and closes properly; a second one ends the process at once. */
export async function untilStopped(opened: OpenedCharter, tell: (words: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt !== undefined && now - stoppedAt < repeatedSignalMs) return;
    if (stoppedAt !== undefined) process.exit(128 + numberOf(signal));
    stoppedAt = now;
    const running = opened.host.runningTurns();
    const waits =
      running === 0
        ? ""
        : ` when ${running === 1 ? "the running turn ends" : `${running} running turns end`}; Ctrl-C again stops at once`;
    tell(`Stopping${waits}.`);
    resolve();
  };
  // The handler stays to the very end, so that a late signal does not interrupt the closing of the store.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  process.on("SIGHUP", ignoresHangup() ? () => {} : stop);
  await promise;
  await opened.close();
}
