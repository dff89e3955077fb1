import { Readable } from "node:stream";
import type { AskMode } from "../../agent/turn/asking/ask-mode.ts";
import { serveEditor } from "../../channels/editor/connection.ts";
import { createEditor } from "../../channels/editor/editor.ts";
import type { AgentMcp } from "../../host/mcp/agent-mcp.ts";
import { loadList } from "../../host/models/load-list.ts";
import { reasonOf } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import { chooseAgent } from "../chat/choose-agent.ts";
import { mcpFor } from "../chat/mcp.ts";
import { packageVersion } from "../help/help.ts";
import { type CommandModels, modelsFor, namesFor } from "../shared/models.ts";
import { windowIn } from "../shared/options.ts";
import { userAtTerminal } from "../shared/user-at-terminal.ts";
import { type SetupValues, sessionSetups } from "./session-setup.ts";

type ServeValues = SetupValues & {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly model?: string | undefined;
  readonly window?: string | undefined;
  readonly ask: AskMode | undefined;
};

/** Serves the editor at the other end of standard input until it leaves. The agent is chosen as in `charter chat`. */
export async function serveStandardInput(
  store: Store,
  values: ServeValues,
  output: WritableStream<Uint8Array>,
): Promise<number> {
  const models = modelsFor(store);
  const mcp = mcpFor(store);
  try {
    return await serve({ store, models, mcp }, values, output);
  } finally {
    await Promise.all([models.close(), mcp.close()]);
  }
}

type ServeDeps = { readonly store: Store; readonly models: CommandModels; readonly mcp: AgentMcp };

async function serve(
  { store, models, mcp }: ServeDeps,
  values: ServeValues,
  output: WritableStream<Uint8Array>,
): Promise<number> {
  const { agent } = await chooseAgent(store, values);
  const { settings } = agent;
  const user = values.user ?? userAtTerminal();
  const [model, ...fallbacks] = await loadList(await namesFor(agent, values.model), models.load);
  const editor = createEditor({
    store,
    agent: agent.name,
    user,
    zone: typeof settings.zone === "string" ? settings.zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
    model,
    fallbacks,
    loadModel: models.load,
    window: windowIn(values, agent) ?? (values.model || agent.model ? undefined : await models.usualWindow()),
    ask: values.ask,
    setUp: await sessionSetups(agent, { store, user, mcp }, values),
  });
  const info = { name: "charter", version: packageVersion() };
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const { fault } = await serveEditor({ editor, info, input, output });
  // One that stopped reading may not have closed what it wrote to.
  process.stdin.destroy();
  if (fault === undefined) return 0;
  process.stderr.write(`bad-client-message: The connection was ended: ${reasonOf(fault)}.\n`);
  return 1;
}
