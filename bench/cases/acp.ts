import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { createAcpAgents } from "../../charter/src/delivery/acp/acp-agents.ts";
import { stepMessages } from "../../charter/src/delivery/history.ts";
import type { Message } from "../../charter/src/delivery/model.ts";
import { createHost } from "../../charter/src/host/create-host.ts";
import { createStore, sqlite } from "../../charter/src/store/index.ts";
import { scriptedAgent } from "../../charter/test/acp/agent-script.ts";
import type { Report } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";

const turns = 10;
const words = "Here I am.";
const initialize = { agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } };
const input = "Are you there?";

/** Takes a turn and tells of the first words; the turn itself is seen to its end. */
type Talker = (onWords: (text: string) => void) => Promise<unknown>;

/** From a message to the first words of an agent over ACP, in a session that is open, beside the SDK's own client. */
export async function acp(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-acp-"));
  const open: (() => Promise<unknown> | unknown)[] = [];
  const wrong: string[] = [];
  const agent = () => scriptedAgent(folder, { initialize, turns: [[{ say: words }]] }, { served: true, tools: false });
  try {
    const talkers = {
      sdk: await sdkTalker(agent().entry.command, folder, open),
      model: modelTalker(agent().entry, folder, open),
      turn: await turnTalker(agent().entry, folder, open),
    };
    const contenders = Object.entries(talkers).map(([name, talk]): Contender => {
      let ended: Promise<unknown> = Promise.resolve();
      const one = () =>
        new Promise<void>((resolve) => {
          let first: string | undefined;
          ended = talk((text) => {
            first ??= text;
            resolve();
          }).then(() => {
            if (first !== words) wrong.push(`${name}: the first words were ${JSON.stringify(first)}`);
            resolve();
          });
        });
      const settle = async () => {
        await ended;
      };
      return { name, units: turns, prepare: () => Array.from({ length: turns }, () => one), settle };
    });
    const times = await inRounds(contenders, rounds);
    const row = (what: string, name: keyof typeof talkers) => ({
      case: "acp",
      what,
      time: timeOf(times, name),
      ratio: { ...ratioOf(times, name, "sdk"), of: "the SDK" },
    });
    return {
      title: "ACP  from a message to the first words of an agent that answers at once, in an open session",
      about:
        "the SDK's own client sends the message; Charter also works out what is new, and in a turn records it first",
      rows: [
        { case: "acp", what: "the SDK's own client", time: timeOf(times, "sdk") },
        { ...row("Charter, the model acp/…", "model"), target: 1.2 },
        row("Charter, a whole turn, recorded on SQLite", "turn"),
      ],
      wrong,
    };
  } finally {
    for (const close of open) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Opened = (() => Promise<unknown> | unknown)[];

async function sdkTalker([program = "", ...args]: readonly string[], cwd: string, open: Opened): Promise<Talker> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  open.push(() => child.kill());
  let tell: (text: string) => void = () => {};
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  );
  const { agent } = client({ name: "bench" })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") tell(update.content.text);
    })
    .connect(stream);
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  return (onWords) => {
    tell = onWords;
    return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: input }] });
  };
}

type Entry = ReturnType<typeof scriptedAgent>["entry"];

function modelTalker(entry: Entry, folder: string, open: Opened): Talker {
  const agents = createAcpAgents({ entries: { one: entry }, home: join(folder, "model"), env: process.env });
  open.push(agents.close);
  const model = agents.model("one");
  const history: Message[] = [];
  const { signal } = new AbortController();
  return async (onText) => {
    history.push({ role: "user", text: input });
    const session = { id: "s1", agent: "ada", operator: true, history: history.length };
    const request = { tools: [], system: [{ text: "You are Ada." }], messages: [...history], session };
    const { answer } = await model.ask(request, { signal, onText });
    if (answer) history.push(...stepMessages({ answer, results: [] }));
  };
}

async function turnTalker(entry: Entry, folder: string, open: Opened): Promise<Talker> {
  const store = await createStore(sqlite(join(folder, "charter.db")));
  await store.agents.add({ name: "ada", charter: "assistant", model: "acp/one", settings: {} });
  const host = createHost({ store, env: process.env, acp: { one: entry }, acpHome: join(folder, "turn") });
  open.push(() => host.close(0), store.close);
  return async (onWords) => {
    await host.runTurn(
      { agent: "ada", user: "bo", channel: "web", input },
      { on: (event) => event.kind === "draft" && onWords(event.text) },
    );
  };
}
