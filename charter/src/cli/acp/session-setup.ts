import type { Declaration } from "../../agent/declaration.ts";
import type { SetUpSession } from "../../channels/editor/session-setup.ts";
import type { AgentMcp } from "../../host/mcp/agent-mcp.ts";
import { needsFiles } from "../../host/snapshot.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { codingSetupFor } from "../chat/coding.ts";
import { loadAgent } from "../shared/load-agent.ts";
import type { DirectoryValues } from "../shared/options.ts";
import { trustedAgent } from "../shared/trusted-database.ts";

export type SetupValues = DirectoryValues & {
  readonly charter?: string | undefined;
  readonly lock?: string | undefined;
};

type SetupDeps = { readonly store: Store; readonly user: string; readonly mcp: Pick<AgentMcp, "withTools"> };

/**
 * An agent as `charter chat` has it, for each session of an editor anew: one that needs files works in the session's
 * directory, all others in none.
 */
export async function sessionSetups(
  agent: AgentRecord,
  { store, user, mcp }: SetupDeps,
  values: SetupValues,
): Promise<SetUpSession> {
  const withTools = async (declaration: Declaration) => mcp.withTools(await store.agents.get(agent.name), declaration);
  const { charter, lock } = values;
  const { declaration } = await trustedAgent(agent, store, values);
  if (!needsFiles(declaration)) {
    const declare = async () =>
      withTools((await loadAgent(store, { agent: agent.name, user, channel: "editor", lock, charter })).declaredTurn);
    return async () => ({ declare, limits: {}, settleTrust: async () => {}, faults: () => [], close: () => {} });
  }
  return async (cwd, files) => {
    const coding = await codingSetupFor(agent, store, { ...values, cwd }, false, files);
    if (!coding) throw new Error("it needs files, and then it does not");
    const { workbench, limits, askForTrust } = coding;
    return {
      declare: async () => withTools(await workbench.declare()),
      limits,
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
