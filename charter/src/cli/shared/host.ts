import { localZone } from "../../charters/clock.ts";
import { createHost } from "../../host/create-host.ts";
import type { Host } from "../../host/host.ts";
import { turnSettingsIn } from "../../host/host-options.ts";
import type { Config, ConfigValues } from "../../server/config.ts";
import { withoutChainKey } from "../../sources/core-memory/key-source.ts";
import type { Store } from "../../store/store.ts";
import { defaultDatabase } from "./store.ts";
import { type Here, isUntrusted } from "./trust/here.ts";
import { checkCharterFile } from "./trusted-database.ts";
import { userAtTerminal } from "./user-at-terminal.ts";

type ConfigHere = Config & Required<Pick<Config, "database" | "operator" | "zone">>;

/** What holds for turns here: the configuration, over it the environment, over that what was named with the command. */
export async function configIn(here: Here, named: ConfigValues): Promise<ConfigHere> {
  const { configurationOf } = await import("../../server/config.ts");
  const config = configurationOf((await here.settings()) ?? {}, await here.environment(), named);
  return { database: defaultDatabase, operator: userAtTerminal(), zone: localZone(), ...config };
}

type HostValues = {
  /** The charter's file, where whoever asks has named it: what they name is theirs. Others are run only if trusted. */
  readonly charter?: string | undefined;
  readonly lock?: string | undefined;
};

/**
 * Who runs the agents of a command. Without a `config` from `configIn`, settings that are not trusted say nothing; no
 * model is asked while they wait for that.
 */
export async function hostOf(
  store: Store,
  here: Here,
  { charter, lock }: HostValues = {},
  config?: Config,
): Promise<Host> {
  return createHost({
    store,
    ...turnSettingsIn(config ?? { ...(await configIn(here, {}).catch(isUntrusted)), ...whenNeeded(here) }),
    ...(lock === undefined ? {} : { lock }),
    env: withoutChainKey(await here.environment()),
    checkCharter: async (agent) => (agent.charter === charter ? undefined : checkCharterFile(store, agent)),
    checkModel: here.check,
  });
}

/** Whoever needs one of these is told that the configuration is not trusted. */
function whenNeeded({ setting }: Here) {
  return { keys: () => setting("keys"), acp: () => setting("acp"), mcp: () => setting("mcp") };
}
