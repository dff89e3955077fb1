import { priceNotices } from "../../host/models/spending-limits.ts";
import type { Config } from "../../server/config.ts";
import { isLoopback } from "../../server/http/host-header.ts";
import { type OpenedCharter, type OpenOptions, openCharter, type Services } from "../../server/open.ts";
import type { Store } from "../../store/store.ts";
import { configurationOf, type ServeValues } from "../config/configuration.ts";
import { commandHere, databaseOption, hintsHere } from "../print/command-name.ts";
import { defaultDatabase, storeOptions } from "../shared/store.ts";
import { environmentHere, settingsHere } from "../shared/trust/directory-settings.ts";
import {
  askForSettings,
  mayAskHere,
  type SettingsValues,
  settingsOption,
  trustOptions,
} from "../shared/trust/settings-question.ts";
import { checkCharterFile } from "../shared/trusted-database.ts";
import { userAtTerminal } from "../shared/user-at-terminal.ts";

/** What start, serve and work all understand. */
export const serverOptions = {
  ...storeOptions,
  ...trustOptions,
  ...settingsOption,
  model: { type: "string", short: "m" },
  window: { type: "string" },
  zone: { type: "string" },
  url: { type: "string" },
} as const;

type ServerValues = ServeValues & SettingsValues & { readonly json?: boolean | undefined };

export async function configOf(values: ServerValues): Promise<Config> {
  await askForSettings(values, mayAskHere(values));
  const config = configurationOf((await settingsHere()) ?? {}, await environmentHere(), values);
  return { operator: userAtTerminal(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...config };
}

/** Requests are logged on standard error, a JSON line each. */
export async function openServer(
  store: Store,
  config: Config,
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
    env: given.env ?? (await environmentHere()),
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
