import { Readable } from "node:stream";
import type { AskMode } from "../../agent/turn/ask-reason.ts";
import { serveEditor } from "../../channels/editor/connection.ts";
import { createEditor } from "../../channels/editor/editor.ts";
import type { Host } from "../../host/host.ts";
import { reasonOf } from "../../prompt/problem.ts";
import { chooseAgent, windowIn } from "../chat/choose-agent.ts";
import { packageVersion } from "../help/help.ts";
import { type SetupValues, sessionSetups } from "./session-setup.ts";

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
  const named = { model: values.model, window: windowIn(values, agent) };
  // A model that cannot be asked is told of before there is a session.
  await host.at(named).modelOf(agent.name);
  const setUp = await sessionSetups(agent, store, values, named);
  const editor = createEditor({ host, agent: agent.name, user: values.user, ask: values.ask, setUp });
  const info = { name: "charter", version: packageVersion() };
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const { fault } = await serveEditor({ editor, info, input, output });
  // One that stopped reading may not have closed what it wrote to.
  process.stdin.destroy();
  if (fault === undefined) return 0;
  process.stderr.write(`bad-client-message: The connection was ended: ${reasonOf(fault)}.\n`);
  return 1;
}
