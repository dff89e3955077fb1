import { isRunnerGone } from "../agent/agent.ts";
import { aStore } from "../agent/agent-options.ts";
import { createAutomata, everyMsOf } from "../channels/automata.ts";
import { knownChains } from "../channels/chain/chain-status.ts";
import type { OpenedChain } from "../channels/chain/open-chain.ts";
import { createPublicationWorker } from "../channels/loop.ts";
import { type Bots, openBots } from "../channels/telegram/bots.ts";
import type { ModelLoader } from "../delivery/models/language.ts";
import type { Environment } from "../delivery/models/provider.ts";
import { createHost } from "../host/create-host.ts";
import type { Host } from "../host/host.ts";
import { turnSettingsIn } from "../host/host-options.ts";
import { signInLink } from "../operations/users/tokens.ts";
import { requireService } from "../packages/load-package.ts";
import { checkNeeded, isObject } from "../prompt/argument.ts";
import type { Problem } from "../prompt/problem.ts";
import { chainKeyVariable, hideKeys, withoutChainKey } from "../sources/core-memory/key-source.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import { returnAddress } from "./auth/oidc.ts";
import { type Config, checkConfig } from "./config.ts";
import { watchStore } from "./health.ts";
import { type DemoFacts, isLoopback } from "./http/this-server.ts";
import type { Log } from "./observe/log.ts";
import { signedInbox } from "./signed-message.ts";

/** Services that a process runs. One process with all of them is enough for one machine. */
export type Services = {
  readonly http?: boolean;
  readonly schedules?: boolean;
  /** Bots that fetch their updates, and bots whose updates are posted to this server. */
  readonly polling?: boolean;
  readonly webhooks?: boolean;
  /** Agents that live by themselves. */
  readonly automata?: boolean;
};

/** Options of `openCharter`: a store, the config, and which services to run. */
export type OpenOptions = {
  readonly store: Store;
  readonly config: Config;
  readonly services: Services;
  readonly env?: Environment;
  readonly log?: Log;
  /** Number of log lines that could not be written, shown in `/health` and `/metrics`. */
  readonly lostLines?: () => number;
  readonly loadModel?: ModelLoader;
  readonly checkCharter?: (agent: AgentRecord) => Promise<void>;
  readonly clock?: () => Date;
  /** Directory for those of agents over ACP; by default ~/.charter/acp. */
  readonly acpHome?: string;
  /** Command as it is typed here, and its options to reach this database, for hints. */
  readonly command?: string;
  readonly commandOptions?: string;
  /** Texts of a demo: its pages say that it is one, and what to try. */
  readonly demo?: DemoFacts;
};

/** A running service. */
export type OpenedCharter = {
  readonly host: Host;
  /** Address of the server; undefined if it serves no HTTP. */
  readonly url: string | undefined;
  /** Names of the running bots, by agent. */
  readonly bots: ReadonlyMap<string, string | undefined>;
  /** Reasons why configured bots do not run: their agent is not settled. Everything else runs. */
  readonly undecided: readonly Problem[];
  /** Agents that live by themselves here. */
  readonly automata: readonly string[];
  /** Refuses new work, waits for what runs, and closes. The store stays open. */
  readonly close: () => Promise<void>;
};

type CloseStep = (graceMs: number) => Promise<unknown>;

/**
 * Starts a service from a config: HTTP API, studio, bots and schedules, in an order in which nothing arrives before it can be
 * answered. This is what `charter start` does.
 */
export async function openCharter(options: OpenOptions): Promise<OpenedCharter> {
  checkNeeded<OpenOptions>("openCharter", options, {
    store: aStore,
    config: [isObject, "Give the result of defineConfig, or {} for the defaults."],
    services: [isObject, "Say what runs: { http: true, schedules: true, polling: true }."],
  });
  const { store, config, services, env, log, loadModel } = options;
  const { checkCharter, clock = () => new Date(), acpHome } = options;
  checkConfig(config, "the config of openCharter");
  // Keys are hidden before any process is started that would inherit them.
  hideKeys({ chain: { env: chainKeyVariable } });
  const host = createHost({
    ...turnSettingsIn(config),
    ...{ store, acpHome, checkCharter, clock },
    ...(env ? { env: withoutChainKey(env) } : {}),
    ...(loadModel ? { loadModel } : {}),
  });
  const grace = (config.graceSeconds ?? 30) * 1000;
  const closings: CloseStep[] = [];
  const close = async () => {
    await Promise.all(closings.map((one) => one(grace)));
    await host.close(grace);
  };
  try {
    if (log) closings.push(watchStore(store.home, log));
    closings.push(await markAbandonedTurns(store));
    const automata = services.automata ? await createAutomata(host, options) : [];
    // The real address is known once it listens; a process without HTTP uses that of the server beside it.
    let at = `http://127.0.0.1:${config.port || 4747}`;
    const { bots, undecided } = await openBots(
      options,
      { host, linkFor: (who) => signInLink(store, config.url ?? at, who) },
      closings,
    );
    const url = services.http ? await openHttp(options, host, bots, closings) : undefined;
    at = url ?? at;
    await Promise.all([...bots.values()].map(({ bot }) => bot.start()));
    for (const [agent, { bot, posted }] of bots)
      if (posted) await bot.setWebhook(`${config.url ?? url}/telegram/${encodeURIComponent(agent)}`);
    if (services.schedules) {
      await openSchedules(options, host, closings);
      await openPublications(options, host, closings);
    }
    for (const { automaton, chain } of automata) {
      closings.push((graceMs) => automaton?.stop(graceMs) ?? (chain as OpenedChain).stop());
      await (automaton ?? chain)?.start();
    }
    const alive = [...new Set(automata.map(({ agent }) => agent))];
    return {
      host,
      url,
      automata: alive,
      undecided,
      bots: new Map([...bots].map(([agent, { bot }]) => [agent, bot.username()])),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openHttp(
  { config, log, lostLines, clock, env, command, commandOptions, demo }: OpenOptions,
  host: Host,
  bots: Bots,
  closings: CloseStep[],
) {
  // The modules below import the service's packages when they load, so the package is required first.
  requireService({ purpose: "The server" });
  const [{ allRoutes, createApi }, { listen }, { loadStudio }] = await Promise.all([
    import("./app.ts"),
    import("./listen.ts"),
    import("./studio.ts"),
  ]);
  const { host: listenHost = "127.0.0.1", port = 4747, url, hosts, jwt, oidc, origins, apiLimits, proxies } = config;
  const { operator = "operator", inbox, openai, openaiUser, mcpServer } = config;
  const posted = [...bots].filter(([, { posted }]) => posted);
  // The address is known once the server listens; nobody asks before.
  let listensAt = "";
  const signed = signedInbox({ inbox, url, isAlone: isLoopback(listenHost), listensAt: () => listensAt });
  const api = createApi({
    ...{ host, operator, routes: allRoutes, hostname: listenHost, pages: loadStudio() },
    telegram: new Map(posted.map(([agent, { bot }]) => [agent, bot.webhook])),
    ...{
      clock,
      jwt,
      openai,
      openaiUser,
      mcpServer,
      origins,
      limits: apiLimits,
      proxies,
      url,
      hosts,
      log,
      lostLines,
      command,
      commandOptions,
      signed,
      demo,
    },
    oidc: oidc && {
      ...oidc,
      base: returnAddress({ url, isAlone: isLoopback(listenHost), listensAt: () => listensAt }),
    },
    everyMs: everyMsOf(config),
    chains: knownChains(config, env ?? process.env),
    linkUrl: ({ agent, channel, code }) => {
      const username = channel === "telegram" ? bots.get(agent)?.bot.username() : undefined;
      return username === undefined ? undefined : `https://t.me/${username}?start=${code}`;
    },
  });
  const listening = await listen(api, { host: listenHost, port });
  listensAt = listening.url;
  closings.push((graceMs) => listening.close(graceMs));
  return listening.url;
}

async function openSchedules(
  { config, clock = () => new Date(), log }: OpenOptions,
  host: Host,
  closings: CloseStep[],
) {
  const { createScheduler } = await import("../channels/scheduled/scheduler.ts");
  const scheduling = createScheduler({ host, clock, zone: config.zone, ...(log ? { log } : {}) });
  closings.push((graceMs) => scheduling.stop(graceMs));
  await scheduling.start();
}

/** Starts the worker that sends texts no relay has taken yet, whoever wrote them. */
async function openPublications({ log }: OpenOptions, host: Host, closings: CloseStep[]) {
  const worker = createPublicationWorker({ host, ...(log ? { log } : {}) });
  closings.push(() => worker.stop());
  worker.start();
}

const minute = 60_000;

/**
 * Marks abandoned turns as interrupted, now and every minute: those of a process that died, here or elsewhere, and those that
 * could not be closed while the store was away. Returns a function that stops it.
 */
export async function markAbandonedTurns(store: Store, everyMs = minute): Promise<() => Promise<void>> {
  const mark = () => store.turns.interruptAbandoned({ isGone: isRunnerGone });
  await mark();
  let marking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A store that is away is asked again the next time.
    marking = mark().catch(() => {});
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await marking;
  };
}
