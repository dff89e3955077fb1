import { aStore } from "../agent/agent-options.ts";
import { limitsOf, narrower } from "../agent/limits.ts";
import type { BeforeAsk } from "../agent/question.ts";
import { createSecondOpinion } from "../agent/second-opinion.ts";
import { isStandardSchema } from "../agent/standard-schema.ts";
import { measureSurvival } from "../agent/survival/measure-survival.ts";
import { howToEmbed, isMemoryOptions, storeWithMeaning } from "../agent/tools/memory-options.ts";
import { affordableAnswer } from "../agent/turn/survival.ts";
import { isWindow } from "../agent/turn/window/window.ts";
import type { TurnInput } from "../agent/turn-input.ts";
import { checkModels } from "../delivery/models/table/check-models.ts";
import {
  anyValue,
  badArgument,
  checkOptions,
  clockOf,
  type FieldChecks,
  isFunction,
  isObject,
  isText,
  kindOf,
  optional,
} from "../prompt/argument.ts";
import type { AgentRecord } from "../store/agents.ts";
import { amendmentContextFor, countedRoom } from "./amendment-context.ts";
import { createCoreMemories } from "./core-memory.ts";
import { approveHeld, rejectHeld } from "./decide.ts";
import { createHostDeclarations } from "./declare.ts";
import { createLooks } from "./gather.ts";
import type { Host, HostWatcher } from "./host.ts";
import type { HostOptions } from "./host-options.ts";
import { createAgentMcp } from "./mcp/agent-mcp.ts";
import { createAcpModels, notServed } from "./models/acp.ts";
import { createHostModels } from "./models/host-models.ts";
import { createKnownModels } from "./models/known-models.ts";
import { areModelNames } from "./models/model-list.ts";
import { probeAgent } from "./models/probe-agent.ts";
import { spendingLimits } from "./models/spending-limits.ts";
import { assembleReadings } from "./preview.ts";
import { quoteFor } from "./quote.ts";
import { createRunners, type FindAgent } from "./runners.ts";
import { createRunningTurns } from "./running-turns.ts";
import type { AgentSnapshot } from "./snapshot.ts";
import { createSnapshots } from "./snapshots.ts";

const checks: FieldChecks<HostOptions> = {
  store: aStore,
  env: optional([isObject, "Give the environment that has the keys: process.env."]),
  model: optional([areModelNames, "Give a model's name, as in provider/model, or a list of names."]),
  window: optional([isWindow, "Give a whole number of tokens from 1000 up."]),
  models: anyValue,
  loadModel: optional([isFunction, "Give a function from a model's name to the model."]),
  tools: anyValue,
  channels: optional([isObject, "Give the guidance of each channel by its name."]),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  zone: optional([isText, "Give a time zone, as in Europe/Rome."]),
  lock: optional([isText, "Give the path of the lock file."]),
  checkCharter: optional([isFunction, "Give a function that is asked before an agent's charter is loaded."]),
  directory: optional([isText, "Give the path of a directory."]),
  keys: optional([
    (value) => isObject(value) || isFunction(value),
    'Say where each key is: { ada: { file: "ada.key" } }.',
  ]),
  acp: optional([
    (value) => isObject(value) || isFunction(value),
    'Say how each agent is started: { claude: { command: ["claude-agent-acp"] } }.',
  ]),
  mcp: optional([
    (value) => isObject(value) || isFunction(value),
    'Say how each server is reached: { files: { command: ["npx", "@modelcontextprotocol/server-filesystem", "."] } }.',
  ]),
  acpHome: optional([isText, "Give the path of a directory."]),
  memory: optional([isMemoryOptions, howToEmbed]),
  context: optional([isStandardSchema, "Give a schema of zod (from 3.25 on), valibot, arktype or the like."]),
  keepContext: optional([(value) => typeof value === "boolean", "Give true or false."]),
  clock: optional([isFunction, "Give a function: () => new Date()."]),
};

/** Runs the agents of a store for many users: servers, bots and schedulers ask it for turns and prompts. */
export function createHost(given: HostOptions): Host {
  checkOptions("createHost", given, checks);
  const { env = {}, models: own } = given;
  const options = { ...given, store: storeWithMeaning(given.store, given.memory, { env, models: own }) };
  const { store, zone, channels } = options;
  const clock = clockOf("createHost", options.clock ?? (() => new Date()));
  limitsOf(options.limits);
  const table =
    options.models === undefined ? {} : checkModels(options.models, { place: "createHost", code: "bad-model" });
  const find: FindAgent = async (name) => {
    const agent = await store.agents.get(name);
    await options.checkCharter?.(agent);
    return agent;
  };
  const watchers = new Set<HostWatcher>();
  const running = createRunningTurns();
  const memories = createCoreMemories(options);
  const mcp = createAgentMcp(options);
  const declarations = createHostDeclarations(options, memories.give, mcp);
  const acp = createAcpModels(options);
  const models = createHostModels(options, acp);
  const { runnerOf, runnerFor } = createRunners(options, { models, declarations, find });
  const snapshotOf = createSnapshots(options, find, models, memories.give);
  const { look, gather } = createLooks(snapshotOf, models, declarations.tools, options.limits);
  const survivalOf = async (agent: AgentRecord) =>
    (await measureSurvival({ store, agent, now: clock(), priced: await models.isPriced(agent) })).survival;
  const contextOf = async (snapshot: AgentSnapshot) => {
    const limits = narrower(options.limits, snapshot.declaredTurn.limits);
    const { charter, edition: set } = snapshot.declaredTurn;
    const room = await countedRoom(charter, set === undefined ? {} : { edition: set });
    // The adviser is a model as well: while cycles are too few, a person is asked instead.
    const beforeAsk: BeforeAsk = async (request) =>
      snapshot.declaredTurn.needs?.includes("inbox")
        ? affordableAnswer(snapshot.agent.name, await survivalOf(snapshot.agent), request)
        : undefined;
    const secondOpinion = createSecondOpinion({ store, clock, limits, loadModel: models.load, beforeAsk });
    return { ...(await amendmentContextFor(snapshot, room)), secondOpinion };
  };

  const zoneFor = ({ settings }: AgentRecord) => (typeof settings.zone === "string" ? settings.zone : zone);

  // One that nobody described is no reason to hide the agent: its turns say what is wrong.
  const isServed = (agent: AgentRecord) => acp.isServed(models.nameFor(agent)).catch(() => true);
  const checkServed = async (agent: AgentRecord, { user, channel }: Pick<TurnInput, "user" | "channel">) => {
    const model = models.nameFor(agent);
    const ofOperator = channel === "scheduled" && user === undefined;
    if (!acp.isAcp(model) || ofOperator || (await acp.isServed(model))) return;
    throw notServed(agent.name, model);
  };

  return {
    store,
    clock,
    channels: Object.keys(channels ?? {}),
    models: table,
    knownModels: createKnownModels({ ...options, clock }, acp, models),
    traits: async (agent) => {
      await options.checkCharter?.(agent);
      const traits = await declarations.traits(agent);
      return traits.served && acp.isAcp(models.nameFor(agent)) ? { ...traits, served: await isServed(agent) } : traits;
    },
    snapshot: snapshotOf,
    look,
    gather,
    nextRequest: async ({ agent: name, zone: asked, ...about }) => {
      const agent = await find(name);
      const { receiver, notices } = await models.receiverSeen(agent);
      const runner = notices.length === 0 ? await runnerOf(agent) : runnerFor(agent, receiver);
      const next = await runner.nextRequest({ ...about, zone: asked ?? zoneFor(agent) });
      return { ...next, notices: [...notices, ...next.notices] };
    },
    tools: async ({ agent, ...place }) => declarations.tools(await find(agent), place),
    preview: async ({ edition, tokens, ...query }) => {
      const { declaredTurn, readings, model, tokenizer, edition: usual } = await gather(query);
      const room = { tokenizer, edition: edition ?? usual, ...(tokens === undefined ? {} : { tokens }) };
      return { prompt: assembleReadings(declaredTurn, readings, room), tokenizer, model };
    },
    amendmentContext: async (query) => contextOf(await snapshotOf(query)),
    quote: async (query, proposal) => {
      const snapshot = await snapshotOf(query);
      const verdict = await store.judge(await contextOf(snapshot), proposal);
      const receiver = await models.receiverFor(snapshot.agent, snapshot.declaredTurn);
      const { agent, user } = snapshot.scope;
      return { verdict, quote: await quoteFor(verdict, { store, agent, user, receiver, proposal, now: clock() }) };
    },
    runTurn: (asked, { signal, on, ...asking } = {}) =>
      running.run(signal, async (either) => {
        const { agent: name, ...input } = Object(asked) as typeof asked;
        if (!isText(name))
          throw badArgument(
            `The \`agent\` that host.runTurn was given is ${kindOf(name)}.`,
            "Give host.runTurn({ agent, input }).",
          );
        const agent = await find(name);
        await checkServed(agent, input);
        const runner = await runnerOf(agent);
        const about = { agent: name, user: input.user, channel: input.channel };
        const tell: NonNullable<typeof on> = (event) => {
          on?.(event);
          for (const watcher of watchers) watcher(event, about);
        };
        const usual = zoneFor(agent);
        const zoned = { ...(usual === undefined ? {} : { zone: usual }), ...input };
        return runner.runTurn(zoned, { signal: either, on: tell, ...asking });
      }),
    newSession: async ({ agent: name, ...asked }) => (await runnerOf(await find(name))).newSession(asked),
    compact: ({ agent: name, ...asked }) =>
      running.run(undefined, async (signal) => {
        const agent = await find(name);
        await checkServed(agent, asked);
        return (await runnerOf(agent)).compact(asked, { signal });
      }),
    callTool: ({ agent: name, user }, { tool, input }) =>
      running.run(undefined, async (signal) => {
        const runner = await runnerOf(await find(name));
        return runner.callTool({ tool, input, ...(user === undefined ? {} : { user }) }, { signal });
      }),
    approve: (id, by, within, how) =>
      approveHeld({ store, id, by, within, how }, async (scope) => contextOf(await snapshotOf(scope))),
    reject: (id, by, reason, within) => rejectHeld({ store, id, by, within }, reason),
    coreMemory: async (name) => {
      const agent = await find(name);
      const { memory } = await declarations.declared(agent);
      return memory && memories.of(agent, memory);
    },
    spendingLimits: async () =>
      spendingLimits(await store.agents.list(), models, async (agent) => {
        await options.checkCharter?.(agent);
        return narrower(options.limits, (await declarations.declared(agent)).limits);
      }),
    mcpServers: async (name) => {
      const agent = await find(name);
      return mcp.stateFor(agent, await declarations.declared(agent));
    },
    checkMcpServers: mcp.checkServers,
    survivalOf: async (name) => survivalOf(await find(name)),
    probe: async (name, { signal }) => {
      const agent = await find(name);
      const beforeAsk: BeforeAsk = async (request) => affordableAnswer(name, await survivalOf(agent), request);
      const limits = narrower(options.limits, (await declarations.declared(agent)).limits);
      return probeAgent({
        ...{ agent: name, models: await models.listFor(agent), load: models.load },
        ...{ store, limits, clock, signal, beforeAsk },
      });
    },
    modelOf: async (name) => models.load(models.nameFor(await find(name))),
    erasable: async (who) => ({ ...(await store.erasable(who)), directories: await acp.directoriesOf(who) }),
    erase: async (who) => ({ ...(await store.erase(who)), directories: await acp.erase(who) }),
    runningTurns: running.count,
    close: async (graceMs) => {
      await running.close(graceMs);
      await acp.close();
      await mcp.close();
    },
    watch: (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
