import { priceNotices } from "../../host/models/spending-limits.ts";
import { commandHere, databaseOption, hintsHere } from "../../operations/print/command-name.ts";
import type { Config, ConfigValues } from "../../server/config.ts";
import { isLoopback } from "../../server/http/host-header.ts";
import { type OpenedCharter, type OpenOptions, openCharter, type Services } from "../../server/open.ts";
import type { Store } from "../../store/store.ts";
import { configIn } from "../shared/host.ts";
import { defaultDatabase } from "../shared/store.ts";
import type { Here } from "../shared/trust/here.ts";
import { askedHere, mayAskHere, type SettingsValues } from "../shared/trust/trust-question.ts";
import { checkCharterFile } from "../shared/trusted-database.ts";

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
  const [{ createLog }, { createLogStream }] = await Promise.all([
    import("../../server/observe/log.ts"),
    import("../../server/observe/log-stream.ts"),
  ]);
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
