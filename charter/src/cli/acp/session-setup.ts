import { needsFiles } from "../../agent/declaration.ts";
import type { SetUpSession } from "../../channels/editor/session-setup.ts";
import type { HostPlace } from "../../host/host-options.ts";
import type { DirectoryValues } from "../../operations/directory-fields.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { codingSetupFor } from "../chat/coding.ts";
import type { Here } from "../shared/trust/here.ts";
import { trustedAgent } from "../shared/trusted-database.ts";

export type SetupValues = DirectoryValues & { readonly here: Here; readonly charter?: string | undefined };

/**
 * An agent as `charter chat` has it, for each session of an editor anew: one that needs files works in the session's
 * directory, all others in none. `named`: the models that were named, over those of the agent.
 */
export async function sessionSetups(
  agent: AgentRecord,
  store: Store,
  values: SetupValues,
  named: HostPlace = {},
): Promise<SetUpSession> {
  const { declaration } = await trustedAgent(agent, store, values);
  if (!needsFiles(declaration))
    return async () => ({ place: named, settleTrust: async () => {}, faults: () => [], close: () => {} });
  return async (cwd, files) => {
    const coding = await codingSetupFor(agent, store, { ...values, cwd }, false, files);
    if (!coding) throw new Error("it needs files, and then it does not");
    const { place, askForTrust } = coding;
    const { workbench } = place;
    return {
      place: { ...place, ...named },
      root: cwd,
      settleTrust: async (ask) => {
        let trusted = false;
        await askForTrust(async (lines) => {
          trusted = await ask(lines);
          return trusted ? "once" : "no";
        });
        if (trusted) await workbench.reload();
      },
      faults: workbench.faults,
      close: workbench.close,
    };
  };
}
