import type { Config } from "../../server/config.ts";
import { type OpenedCharter, openCharter, type Services } from "../../server/open.ts";
import type { Store } from "../../store/store.ts";
import { readConfigFile } from "../config/config-file.ts";
import { configurationOf, type ServeValues } from "../config/configuration.ts";
import { hintsHere } from "../print/command-name.ts";
import { storeOptions } from "../shared/store.ts";
import { checkCharterFile } from "../shared/trusted-database.ts";
import { userAtTerminal } from "../shared/user-at-terminal.ts";

/** What start, serve and work all understand. */
export const serverOptions = {
  ...storeOptions,
  config: { type: "string" },
  model: { type: "string", short: "m" },
  window: { type: "string" },
  zone: { type: "string" },
  url: { type: "string" },
} as const;

type ServerValues = ServeValues & { readonly config?: string | undefined };

export async function configOf(values: ServerValues): Promise<Config> {
  const config = configurationOf(await readConfigFile(values.config), process.env, values);
  return { operator: userAtTerminal(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...config };
}

/** Requests are logged on standard error, a JSON line each. */
export async function openServer(
  store: Store,
  config: Config,
  services: Services,
  quiet: boolean,
): Promise<OpenedCharter> {
  const { createLog } = await import("../../server/observe/log.ts");
  const log = createLog((line) => process.stderr.write(line), quiet ? "problems" : "all");
  const opened = await openCharter({
    store,
    config,
    services,
    env: process.env,
    log,
    checkCharter: (agent) => checkCharterFile(store, agent),
  });
  for (const { code, message, hint } of opened.undecided)
    process.stderr.write(`${hintsHere(`notice: ${code}: ${message} ${hint}`)}\n`);
  return opened;
}
