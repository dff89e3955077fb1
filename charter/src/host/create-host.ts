import { createAgent, type Agent as Runner } from "../agent/agent.ts";
import { limitsOf, narrower } from "../agent/limits.ts";
import { createSecondOpinion } from "../agent/second-opinion.ts";
import { createToolsets } from "../agent/toolset.ts";
import type { TurnFor } from "../agent/turn/turn-state.ts";
import type { Model } from "../delivery/model.ts";
import { defaultModelName, loadModel } from "../delivery/models/provider.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { loadTokenizer } from "../delivery/tokenizer.ts";
import { boundsOf, type Room } from "../prompt/room.ts";
import type { AgentRecord } from "../store/agents.ts";
import { amendmentContextFor } from "./amendment-context.ts";
import { approveHeld, rejectHeld } from "./decide.ts";
import { createDeclaring } from "./declare.ts";
import type { Gathered, House, HouseWatcher, Looking } from "./host.ts";
import type { HouseOptions } from "./host-options.ts";
import { promptFrom, readingsOf } from "./preview.ts";
import { quoteFor, receiverNamed } from "./quote.ts";
import { createRunning } from "./running-turns.ts";
import { type Looked, look, needsFiles } from "./snapshot.ts";

export function createHost(options: HostOptions): Host {
  const { store, env = process.env, clock = () => new Date(), zone, lock, channels } = options;
  limitsOf(options.limits);
  const watchers = new Set<HostWatcher>();
  const running = createRunningTurns();
  const declaring = createDeclare(options);
  const found = async (name: string): Promise<AgentRecord> => {
    const agent = await store.agents.get(name);
    await options.checkCharter?.(agent);
    return agent;
  };

  const modelName = ({ model }: AgentRecord) => model ?? options.model ?? defaultModelName(env);
  const models = new Map<string, Promise<Model>>();
  const modelNamed = (name: string): Promise<Model> => {
    const known = models.get(name) ?? options.loadModel?.(name) ?? loadModel(name, { env });
    models.set(name, known);
    // A key that is missing today may be there tomorrow.
    known.catch(() => models.delete(name));
    return known;
  };

  /** A name alone says all that is needed, and no key is; of a model that only the host knows, the model does. */
  const receiverFor = async (name: string): Promise<Receiver> =>
    options.loadModel ? (await modelNamed(name)).receiver : receiverNamed(name);

  const runners = new Map<string, Runner>();
  const runnerOf = async (agent: AgentRecord): Promise<Runner> => {
    const model = await modelNamed(modelName(agent));
    const key = `${agent.name}\0${model.receiver.name}`;
    const known = runners.get(key);
    if (known) return known;
    const declare = async ({ user, channel }: TurnFor) => declaring.declare(await found(agent.name), { user, channel });
    const made = createAgent({
      name: agent.name,
      charter: declare,
      model,
      store,
      clock,
      loadModel: modelNamed,
      ...(options.limits ? { limits: options.limits } : {}),
    });
    runners.set(key, made);
    return made;
  };

  let coderLook: ((looked: Looked) => Looked) | undefined;
  const lookAt = async ({ agent, user, channel, at }: Looking) => {
    const told = at === undefined ? {} : { now: at };
    const looked = await look(store, { agent: await found(agent), user, channel, told, zone, lock, channels, clock });
    if (!needsFiles(looked.given)) return looked;
    coderLook ??= (await import("./coder-snapshot.ts")).createCoderLook({
      directory: options.directory ?? ".",
    });
    return coderLook(looked);
  };
  const roomFor = async (agent: AgentRecord): Promise<Room> => {
    const { window } = await receiverFor(modelName(agent));
    return window !== null && window < 8192 ? { edition: "compact" } : {};
  };
  const deskOf = async (looked: Looked) => {
    const limits = narrower(options.limits, looked.given.limits);
    const room = await countedRoom(looked.given.charter, await roomFor(looked.agent));
    const secondOpinion = createSecondOpinion({ store, clock, limits, loadModel: modelNamed });
    return { ...(await deskFor(looked, room)), secondOpinion };
  };
  const toolsOf = async (agent: Agent, { user, channel }: Omit<Looking, "agent">) =>
    (await (await declaring.declare(agent, { user, channel })).tools?.()) ?? [];

  const toolLines = async (about: Looking, { agent, given }: Looked) => {
    if (given.served === false) return given.turn.tools;
    const toolsets = createToolsets(await toolsOf(agent, about));
    return (await toolsets({ ...declaredTurn, tools: async () => [] })).lines(new Map());
  };
  const gatherFor = async (about: SnapshotQuery): Promise<GatherResult> => {
    const looked = await lookAt(about);
    const tools = await toolLines(about, looked);
    const declaredTurn = { ...looked.declaredTurn, turn: { ...looked.declaredTurn.turn, tools } };
    const model = modelName(looked.agent);
    const receiver = await receiverFor(model);
    const tokenizer = await loadTokenizer(receiver.tokenizer.name);
    const { edition = "full" } = await roomFor(looked.agent);
    return { declaredTurn, readings: await gatherReadings(declaredTurn), model, receiver, tokenizer, edition };
  };

  return {
    store,
    clock,
    channels: Object.keys(channels ?? {}),
    traits: async (agent) => {
      await options.checkCharter?.(agent);
      return declaring.traits(agent);
    },
    look: lookAt,
    gather: gatherFor,
    tools: async ({ agent, ...about }) => toolsOf(await found(agent), about),
    preview: async ({ edition, tokens, ...about }) => {
      const { declaredTurn, readings, model, tokenizer, edition: usual } = await gatherFor(about);
      const room = { tokenizer, edition: edition ?? usual, ...(tokens === undefined ? {} : { tokens }) };
      return { prompt: assembleReadings(declaredTurn, readings, room), tokenizer, model };
    },
    amendmentContext: async (about) => deskOf(await lookAt(about)),
    quote: async (about, proposal) => {
      const looked = await lookAt(about);
      const verdict = await store.judge(await deskOf(looked), proposal);
      const receiver = await receiverFor(modelName(looked.agent));
      const { agent, user } = looked.scope;
      return { verdict, quote: await quoteFor(verdict, { store, agent, user, receiver, proposal, now: clock() }) };
    },
    runTurn: ({ agent: name, ...asked }, { signal, on } = {}) =>
      running.run(signal, async (either) => {
        const agent = await found(name);
        const runner = await runnerOf(agent);
        const about = { agent: name, user: asked.user, channel: asked.channel };
        const tell: NonNullable<typeof on> = (event) => {
          on?.(event);
          for (const watcher of watchers) watcher(event, about);
        };
        const usual = typeof agent.settings.zone === "string" ? agent.settings.zone : zone;
        return runner.runTurn(
          { ...(usual === undefined ? {} : { zone: usual }), ...asked },
          { signal: either, on: tell },
        );
      }),
    callTool: ({ agent: name, user }, { tool, input }) =>
      running.run(undefined, async (signal) => {
        const runner = await runnerOf(await found(name));
        return runner.callTool({ tool, input, ...(user === undefined ? {} : { user }) }, { signal });
      }),
    approve: (id, by, within) => approveHeld({ store, id, by, within }, async (scope) => deskOf(await lookAt(scope))),
    reject: (id, by, because, within) => rejectHeld({ store, id, by, within }, because),
    modelOf: async (name) => modelNamed(modelName(await found(name))),
    runningTurns: running.count,
    close: running.close,
    watch: (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** Where a charter is limited in tokens, something has to count them. */
async function countedRoom(charter: Parameters<typeof boundsOf>[0], room: Room): Promise<Room> {
  if (boundsOf(charter, room).tokens === undefined) return room;
  return { ...room, tokenizer: await loadTokenizer("o200k_base") };
}
