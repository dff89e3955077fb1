import { storeWithMeaning } from "../agent/agent-options.ts";
import { limitsOf, narrower } from "../agent/limits.ts";
import { type BeforeAsk, createSecondOpinion } from "../agent/question.ts";
import { measureSurvival } from "../agent/survival.ts";
import { affordableAnswer } from "../agent/turn/bill.ts";
import { type TurnInput, whoseWords } from "../agent/turn-interface.ts";
import { usualChannels } from "../charters/assistant/sections.ts";
import { checkModels } from "../delivery/models/model-entry.ts";
import { checkedCalls, checkNeeded, clockOf, isSignal, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import { scopeNamed } from "../store/scope.ts";
import { createAgentMcp } from "./agent-mcp.ts";
import { checkAgent } from "./agent-settings.ts";
import { createCoreMemories } from "./core-memory.ts";
import { approveHeld, rejectHeld } from "./decide.ts";
import { createHostDeclarations, createSnapshots, type FindAgent } from "./declare.ts";
import type { AskedAgent, Host } from "./host.ts";
import type { HostWatcher } from "./host-options.ts";
import { checkHostOptions, type HostOptions, type HostPlace } from "./host-options.ts";
import { agentCharter } from "./load.ts";
import { createHostModels, spendingLimits } from "./models/host-models.ts";
import { createKnownModels, probeAgent } from "./models/known-models.ts";
import { createAcpModels, notServed } from "./models/model-names.ts";
import { createNamedSources } from "./named-source.ts";
import { assembleReadings } from "./preview.ts";
import type { AmendmentQuery } from "./proposal.ts";
import type { AgentSnapshot } from "./snapshot.ts";
import type { TrialQuery } from "./trial.ts";

/** Runs the agents of a store for many users: servers, bots and schedulers ask it for turns and prompts. */
export function createHost(given: HostOptions): Host {
  checkHostOptions(given);
  const { env = {}, models: own } = given;
  const mcp = createAgentMcp(given);
  const options = {
    ...given,
    store: storeWithMeaning(given.store, given.memory, { env, models: own }),
    sources: given.sources && createNamedSources(given.sources, mcp.read),
  };
  const { store, zone, channels = {} } = options;
  /** Channels of the program's own: there, it says which words are the user's. */
  const ownChannels = new Set<unknown>(Object.keys(channels).filter((name) => !Object.hasOwn(usualChannels, name)));
  const clock = clockOf("createHost", options.clock ?? (() => new Date()));
  limitsOf(options.limits);
  const table =
    options.models === undefined ? {} : checkModels(options.models, { place: "createHost", code: "bad-model" });
  const watchers = new Set<HostWatcher>(options.on ? [options.on] : []);
  const running = createRunningTurns();
  const memories = createCoreMemories(options);
  const acp = createAcpModels(options);
  const allModels = createHostModels(options, acp);
  const hostIn = (given?: HostPlace): Host => {
    const extend = given?.extend;
    const place = given?.forUsers ? undefined : given;
    const limits = place?.workbench ? { ...placeLimits, ...options.limits } : options.limits;
    const find: FindAgent = async (name) => {
      const agent = await store.agents.get(name);
      await options.checkCharter?.(agent);
      return place?.withoutSettings ? { ...agent, settings: {} } : agent;
    };
    const models = place ? allModels.at(place) : allModels;
    const declarations = createHostDeclarations(options, memories.give, mcp, { place, extend });
    const snapshotOf = createSnapshots(options, find, models, memories.give, { place, extend });
    // Code for taking turns is loaded on first use, because many callers only read texts.
    const runners = once(async () =>
      (await import("./runners.ts")).createRunners({ ...options, limits }, { models, declarations, find }),
    );
    /** Tells whether a turn is at the operator's own place, or the door says that it is the operator's own. */
    const isOperators = ({ user, operator = false }: AskedUser) => place !== undefined || (operator && user === null);
    const runnerOf = async (agent: AgentRecord, asked: AskedUser) =>
      (await runners()).runnerOf(agent, isOperators(asked));
    const looks = once(async () =>
      (await import("./gather.ts")).createLooks(snapshotOf, models, declarations.tools, { limits, place }),
    );
    const survivalOf = async (agent: AgentRecord) =>
      (await measureSurvival({ store, agent, now: clock(), priced: await models.isPriced(agent) })).survival;
    const contextOf = async (snapshot: AgentSnapshot, { room: wanted = {}, ...about }: AmendmentQuery = {}) => {
      const { amendmentContextFor, countedRoom } = await import("./proposal.ts");
      const { charter, edition } = snapshot.declaredTurn;
      const room = await countedRoom(charter, { ...(edition === undefined ? {} : { edition }), ...wanted });
      // The adviser is a model too, and costs: while an agent's cycles are too few, a person is asked instead.
      const beforeAsk: BeforeAsk = async (request) =>
        snapshot.declaredTurn.needs?.includes("inbox")
          ? affordableAnswer(snapshot.agent.name, await survivalOf(snapshot.agent), request)
          : undefined;
      const secondOpinion = createSecondOpinion({
        ...{ store, clock, loadModel: models.load, beforeAsk },
        limits: narrower(limits, snapshot.declaredTurn.limits),
      });
      return { ...(await amendmentContextFor(snapshot, room, about)), secondOpinion };
    };

    const trialDeps = async ({ agent, user }: TrialQuery) => {
      const { charter, rules } = (await snapshotOf(scopeNamed(agent, user))).declaredTurn;
      return { store, load: models.load, charter, rules: await rules() };
    };

    const zoneFor = ({ settings }: AgentRecord) => (typeof settings.zone === "string" ? settings.zone : zone);

    // A model that is not described does not hide the agent: its turns report the fault.
    const isServed = (agent: AgentRecord) => acp.isServed(models.nameFor(agent)).catch(() => true);
    const checkServed = async (agent: AgentRecord, asked: AskedUser) => {
      const model = models.nameFor(agent);
      if (isOperators(asked) || !acp.isAcp(model) || (await acp.isServed(model))) return;
      throw notServed(agent.name, model);
    };

    const host: Host = {
      store,
      clock,
      at: hostIn,
      channels: Object.keys(channels),
      charters: options.charters ?? {},
      sources: options.sources,
      models: table,
      knownModels: createKnownModels({ ...options, clock }, acp, models),
      traits: async (agent) => {
        await options.checkCharter?.(agent);
        const traits = await declarations.traits(agent);
        return traits.served && acp.isAcp(models.nameFor(agent))
          ? { ...traits, served: await isServed(agent) }
          : traits;
      },
      snapshot: snapshotOf,
      look: async (query) => (await looks()).look(query),
      gather: async (query) => (await looks()).gather(query),
      nextRequest: async (asked) => {
        const { agent: name, operator: _, zone: namedZone, ...about } = asked;
        const agent = await find(name);
        const { receiver, notices } = await models.receiverSeen(agent);
        const runner =
          notices.length === 0
            ? await runnerOf(agent, asked)
            : (await runners()).runnerFor(agent, receiver, isOperators(asked));
        const next = await runner.nextRequest({ ...about, zone: namedZone ?? zoneFor(agent) });
        return { ...next, notices: [...notices, ...next.notices] };
      },
      tools: async ({ agent, ...about }) => declarations.tools(await find(agent), about),
      preview: async ({ edition, tokens, ...query }) => {
        const { declaredTurn, readings, model, tokenizer, edition: usualEdition } = await (await looks()).gather(query);
        const room = { tokenizer, edition: edition ?? usualEdition, ...(tokens === undefined ? {} : { tokens }) };
        return { prompt: assembleReadings(declaredTurn, readings, room), tokenizer, model };
      },
      amendmentContext: async (query) => contextOf(await snapshotOf(query), query),
      quote: async (query, proposal) => {
        const snapshot = await snapshotOf(query);
        const verdict = await store.judge(await contextOf(snapshot, query), proposal);
        const receiver = await models.receiverFor(snapshot.agent, snapshot.declaredTurn);
        const { agent, user } = snapshot.scope;
        const { quoteFor } = await import("./proposal.ts");
        return { verdict, quote: await quoteFor(verdict, { store, agent, user, receiver, proposal, now: clock() }) };
      },
      trial: async (query) => {
        const { tryTurns } = await import("./trial.ts");
        return tryTurns(await trialDeps(query), query);
      },
      askTrial: (query, turn) =>
        running.run(undefined, async (signal) => {
          const { askTrial } = await import("./trial.ts");
          const agent = await find(query.agent);
          const beforeAsk: BeforeAsk = async (request) =>
            affordableAnswer(agent.name, await survivalOf(agent), request);
          const own = narrower(limits, (await declarations.declared(agent)).limits);
          return askTrial({ ...(await trialDeps(query)), clock, limits: own, beforeAsk, signal }, query, turn);
        }),
      runTurn: (asked, { signal, on, ...asking } = {}) =>
        running.run(signal, async (either) => {
          const { agent: name, operator, ...input } = Object(asked) as typeof asked;
          checkNeeded(
            "host.runTurn",
            { agent: name },
            { agent: [isText, "Give host.runTurn({ agent, user, input })."] },
          );
          const agent = await find(name);
          const whose = { user: input.user, operator };
          await checkServed(agent, whose);
          const runner = await runnerOf(agent, whose);
          const about = { agent: name, user: input.user ?? undefined, channel: input.channel };
          const tell: NonNullable<typeof on> = (event) => {
            on?.(event);
            for (const watcher of watchers) watcher(event, about);
          };
          const usual = zoneFor(agent);
          const words = ownChannels.has(input.channel) ? whoseWords(input.input, input) : {};
          const zoned = { ...(usual === undefined ? {} : { zone: usual }), ...input, ...words };
          return runner.runTurn(zoned, { signal: either, on: tell, ...asking });
        }),
      newSession: async ({ agent: name, operator, ...asked }) =>
        (await runnerOf(await find(name), { user: asked.user, operator })).newSession(asked),
      schedule: async (asked) => {
        const { createSchedule, reachNotices } = await import("../schedules/schedule.ts");
        const created = await createSchedule({ ...asked, defaultZone: zone }, store, clock());
        return { ...created, notices: await reachNotices(store, created.scope) };
      },
      compact: ({ agent: name, operator, ...asked }) =>
        running.run(undefined, async (signal) => {
          const agent = await find(name);
          const whose = { user: asked.user, operator };
          await checkServed(agent, whose);
          return (await runnerOf(agent, whose)).compact(asked, { signal });
        }),
      callTool: ({ agent: name, user, operator }, call) =>
        running.run(undefined, async (signal) => {
          const { tool } = Object(call) as typeof call;
          checkNeeded(
            "host.callTool",
            { tool },
            { tool: [isText, "Give host.callTool({ agent, user }, { tool, input })."] },
          );
          const runner = await runnerOf(await find(name), { user, operator });
          return runner.callTool({ ...call, user }, { signal });
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
          return narrower(limits, (await declarations.declared(agent)).limits);
        }),
      mcpServers: async (name) => {
        const agent = await find(name);
        return mcp.stateFor(agent, await declarations.declared(agent));
      },
      checkAgent: (asked) =>
        checkAgent(asked, {
          known: async () => ({ ...models.nameSources, mcp: mcp.names }),
          charterOf: (agent) => agentCharter(agent, options),
          clock,
        }),
      survivalOf: async (name) => survivalOf(await find(name)),
      probe: async (name, asked) => {
        checkNeeded<typeof asked>("host.probe", asked, { signal: [isSignal, "Give { signal }: an AbortSignal."] });
        const { signal } = asked;
        const agent = await find(name);
        const beforeAsk: BeforeAsk = async (request) => affordableAnswer(name, await survivalOf(agent), request);
        return probeAgent({
          ...{ agent: name, models: await models.listFor(agent), load: models.load },
          ...{ store, clock, signal, beforeAsk, limits: narrower(limits, (await declarations.declared(agent)).limits) },
        });
      },
      modelOf: async (name) => (await models.listFor(await find(name)))[0],
      erasable: async (who) => ({ ...(await store.erasable(who)), directories: await acp.directoriesOf(who) }),
      erase: async ({ shared, ...who }) => {
        const contexts = { shared: async (agent: string) => contextOf(await snapshotOf({ agent })) };
        const erased = await store.erase({ ...who, ...(shared ? contexts : {}) });
        return { ...erased, directories: await acp.erase(who) };
      },
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
    return checkedCalls("host", host, { except: ["store", "charters", "sources", "models"], runsOthers: true });
  };
  return hostIn();
}

type AskedUser = Pick<TurnInput, "user"> & Pick<AskedAgent, "operator">;

/** Limits at a terminal, where a build takes minutes and a task many steps; the person there can stop it. */
const placeLimits = { steps: 200, toolCalls: 1000, turnSeconds: 3600, askSeconds: 600, toolSeconds: 610 };

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let result: Promise<Made> | undefined;
  return () => {
    result ??= make();
    return result;
  };
}

/** Turns a host is running, and how they end when it closes. */
type RunningTurns = {
  readonly count: () => number;
  /** Runs work until it is done. Its signal stops it when its caller says so, or when closing has waited long enough. */
  readonly run: <Result>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  readonly close: (graceMs?: number) => Promise<void>;
};

function createRunningTurns(): RunningTurns {
  const open = new Set<Promise<unknown>>();
  const late = new AbortController();
  let closing = false;
  return {
    count: () => open.size,
    run: async (signal, work) => {
      if (closing)
        throw new Problem(
          "closing",
          "This Charter is shutting down and takes no more turns.",
          "Ask again in a moment.",
        );
      const stop = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      const mine = work(stop);
      const outcome = mine.then(
        () => {},
        () => {},
      );
      open.add(outcome);
      try {
        return await mine;
      } finally {
        open.delete(outcome);
      }
    },
    close: async (graceMs = 30_000) => {
      closing = true;
      if (open.size === 0) return;
      const timer = setTimeout(() => late.abort(), graceMs);
      while (open.size > 0) await Promise.all(open);
      clearTimeout(timer);
    },
  };
}
