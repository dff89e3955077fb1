import type { Config } from "../../server/config.ts";
import { type Duties, type Opened, openCharter } from "../../server/open.ts";
import type { Store } from "../../store/store.ts";
import { userAtTerminal } from "../chat/user.ts";
import { storeOptions } from "../shared/store.ts";
import { checkCharterFile } from "../shared/trusted-database.ts";
import { readConfigFile } from "./config-file.ts";
import { configurationOf, type ServeValues } from "./configuration.ts";

/** What start, serve and work all understand. */
export const servingOptions = {
  ...storeOptions,
  config: { type: "string" },
  model: { type: "string", short: "m" },
  zone: { type: "string" },
  url: { type: "string" },
} as const;

export type ServingValues = ServeValues & { readonly config?: string | undefined };

export async function configOf(values: ServingValues): Promise<Config> {
  const config = configurationOf(await readConfigFile(values.config), process.env, values);
  return { operator: userAtTerminal(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...config };
}

/** Requests are logged on standard error, a JSON line each. */
export async function openServing(store: Store, config: Config, duties: Duties, quiet: boolean): Promise<Opened> {
  const { createLog } = await import("../../server/observe/log.ts");
  const log = createLog((line) => process.stderr.write(line), quiet ? "problems" : "all");
  return openCharter({
    store,
    config,
    duties,
    env: process.env,
    log,
    checkCharter: (agent) => checkCharterFile(store, agent),
  });
}
