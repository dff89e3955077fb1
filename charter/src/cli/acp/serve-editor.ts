import { Readable } from "node:stream";
import { needsFiles } from "../../agent/declaration.ts";
import type { AskMode } from "../../agent/turn/ask-reason.ts";
import { serveEditor } from "../../channels/editor/connection.ts";
import { createEditor } from "../../channels/editor/editor.ts";
import type { SetUpSession } from "../../channels/editor/editor-session.ts";
import type { Host } from "../../host/host.ts";
import type { HostPlace } from "../../host/host-options.ts";
import type { DirectoryValues } from "../../operations/field.ts";
import { reasonOf } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { chooseAgent, windowIn } from "../chat/choose-agent.ts";
import { codingSetupFor } from "../chat/talk.ts";
import { packageVersion } from "../help/help.ts";
import type { Here } from "../shared/trust/here.ts";
import { trustedAgent } from "../shared/trust/trusted-database.ts";

type ServeValues = SetupValues & {
  readonly agent?: string | undefined;
  readonly user: string;
  readonly model?: string | undefined;
  readonly window?: number | undefined;
  readonly ask?: AskMode | undefined;
};

/** Serves the editor at the other end of standard input until it leaves. The agent is chosen as in `charter chat`. */
export async function serveStandardInput(
  host: Host,
  values: ServeValues,
  output: WritableStream<Uint8Array>,
): Promise<number> {
  const { store } = host;
  const { agent } = await chooseAgent(host, values);
  const place = { model: values.model, window: windowIn(values, agent) };
  // A model that cannot be asked is reported before there is a session.
  await host.at(place).modelOf(agent.name);
  const setUp = await sessionSetups(agent, store, values, place);
  const editor = createEditor({ host, agent: agent.name, user: values.user, ask: values.ask, setUp });
  const info = { name: "charter", version: packageVersion() };
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const { fault } = await serveEditor({ editor, info, input, output });
  // An editor that stopped reading may not have closed its end of the pipe.
  process.stdin.destroy();
  if (fault === undefined) return 0;
  process.stderr.write(`bad-client-message: The connection was ended: ${reasonOf(fault)}.\n`);
  return 1;
}

export type SetupValues = DirectoryValues & { readonly here: Here; readonly charter?: string | undefined };

/**
 * Sets up the agent for each session of an editor, as `charter chat` does: one that needs files works in the session's directory,
 * others in none. `named` holds models that replace the agent's.
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
