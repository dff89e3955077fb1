import type { Host } from "../../host/host.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";

/** A Telegram bot of one agent, in a `charter.config.ts`. */
export type TelegramConfig = {
  /** Name of the agent; by default the only agent, or of several the one whose chats are linked. */
  readonly agent?: string;
  readonly token: string;
  /**
   * Delivery of updates: true if Telegram posts them to `<url>/telegram/<agent>`, false if they are fetched (long polling). By
   * default they are posted if there is a secret.
   */
  readonly webhook?: boolean;
  /** The secret that Telegram sends with each update; needed for a webhook. */
  readonly secret?: string;
  /** Address of another Bot API server. */
  readonly api?: string;
};

/** Returns true if Telegram posts a bot's updates: a bot that fetches them needs no secret. */
export function usesWebhook({ webhook, secret }: TelegramConfig): boolean {
  return webhook ?? secret !== undefined;
}

/** The agents of the bots; and a Problem for each undecided bot, which the operator has to resolve. */
type DecidedBots = {
  readonly decided: readonly { readonly agent: string; readonly config: TelegramConfig }[];
  readonly undecided: readonly Problem[];
};

/**
 * Assigns bots to agents. A bot answers for one agent, and only one process may fetch its messages: where two could, neither
 * does. A bot without an agent is the only agent's; of several, it stays with the one whose chats are linked.
 */
export async function decideBots(store: Store, bots: readonly TelegramConfig[]): Promise<DecidedBots> {
  const names = (await store.agents.list()).map(({ name }) => name);
  const given = bots.flatMap(({ agent }) => agent ?? []);
  const linked = (await store.links.agentsOn("telegram")).filter((one) => names.includes(one) && !given.includes(one));
  const candidates = names.length === 1 ? names : linked;
  const only = candidates.length === 1 ? candidates[0] : undefined;
  const undecided: Problem[] = [];
  const claims: { agent: string; config: TelegramConfig }[] = [];
  for (const config of bots) {
    const agent = config.agent ?? only;
    if (agent !== undefined && names.includes(agent)) claims.push({ agent, config });
    else undecided.push(agent === undefined ? noAgent(names) : unknownAgent(agent, names));
  }
  const sharing = ({ config }: (typeof claims)[0]) =>
    claims.filter((one) => one.config.token === config.token && one.config.api === config.api);
  const decided = claims.filter((one) => sharing(one).length === 1);
  const shared = Map.groupBy(
    claims.filter((one) => sharing(one).length > 1),
    ({ config }) => config.token,
  );
  for (const claimants of shared.values()) undecided.push(oneToken(claimants.map(({ agent }) => agent)));
  for (const [at, { agent }] of decided.entries())
    if (decided.findIndex((one) => one.agent === agent) < at)
      throw new Problem("bad-config", `“${agent}” has two bots.`, "Give each agent one: telegram.agent says which.");
  return { decided, undecided };
}

function noAgent(names: readonly string[]): Problem {
  if (names.length === 0)
    return new Problem("bot-undecided", "The Telegram bot has no agent, and there is none yet.", "Add an agent first.");
  return new Problem(
    "bot-undecided",
    `The Telegram bot does not answer yet: which agent it belongs to is not set. There are ${listed(names)}.`,
    "Set TELEGRAM_AGENT, or telegram.agent in charter.config.ts, to one of them, and start again.",
  );
}

function unknownAgent(agent: string, names: readonly string[]): Problem {
  return new Problem(
    "bot-undecided",
    `The Telegram bot of “${agent}” does not answer: there is no such agent.`,
    `The agents are ${listed(names)}: set TELEGRAM_AGENT, or telegram.agent in charter.config.ts, to one of them.`,
  );
}

function oneToken(agents: readonly string[]): Problem {
  return new Problem(
    "bot-undecided",
    `${listed(agents)} have the same Telegram token, so the bot answers for neither.`,
    "Keep the token at one of them: telegram.token in charter.config.ts. BotFather gives every bot its own.",
  );
}

type Bot = ReturnType<typeof import("./telegram.ts")["createTelegram"]>;
export type Bots = ReadonlyMap<string, { readonly bot: Bot; readonly posted: boolean }>;

type OpenedBots = { readonly bots: Bots; readonly undecided: readonly Problem[] };

type OpenBotsOptions = {
  readonly store: Store;
  readonly config: {
    readonly telegram?: TelegramConfig | readonly TelegramConfig[];
    readonly url?: string;
  };
  readonly services: { readonly polling?: boolean; readonly webhooks?: boolean };
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
  readonly clock?: () => Date;
};

/** Opens the bots of a config that this process runs, each with its agent. They are not started yet. */
export async function openBots(
  opening: OpenBotsOptions,
  {
    host,
    linkFor,
  }: { readonly host: Host; readonly linkFor: (who: { agent: string; user: string }) => Promise<string> },
  closings: ((graceMs: number) => Promise<unknown>)[],
): Promise<OpenedBots> {
  const { store, config, services, log, clock = () => new Date() } = opening;
  const bots = new Map<string, { readonly bot: Bot; readonly posted: boolean }>();
  const all = config.telegram === undefined ? [] : [config.telegram].flat();
  const own = all.filter((one) => (usesWebhook(one) ? services.webhooks : services.polling));
  if (own.length === 0) return { bots, undecided: [] };
  const { createTelegram } = await import("./telegram.ts");
  const { decided, undecided } = await decideBots(store, own);
  for (const { agent, config: one } of decided) {
    const { token, secret, api } = one;
    const posted = usesWebhook(one);
    if (posted && secret === undefined)
      throw new Problem(
        "bad-config",
        `The Telegram bot of “${agent}” has a webhook, but no secret.`,
        "Set TELEGRAM_SECRET, or telegram.secret, to 32 random letters and digits.",
      );
    if (posted && config.url === undefined)
      throw new Problem(
        "bad-config",
        `The Telegram bot of “${agent}” has a webhook, but the server's public address is not set.`,
        "Set CHARTER_URL (or url, or --url) to the https:// address others reach this server by.",
      );
    const bot = createTelegram({
      ...{ host, agent, token, clock, polling: !posted },
      ...(secret === undefined ? {} : { secret }),
      ...(api === undefined ? {} : { apiRoot: api }),
      ...(log === undefined ? {} : { log }),
      page: {
        ...(config.url === undefined ? {} : { url: `${config.url.replace(/\/+$/, "")}/chat` }),
        link: (user) => linkFor({ agent, user }),
      },
    });
    closings.push((graceMs) => bot.stop(graceMs));
    bots.set(agent, { bot, posted });
  }
  return { bots, undecided };
}
