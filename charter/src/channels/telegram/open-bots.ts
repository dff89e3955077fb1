import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import { decideBots, type TelegramConfig, usesWebhook } from "./bots.ts";

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

/** The bots of a config that this process runs, each with the agent it answers for. They are not started yet. */
export async function openBots(
  opening: OpenBotsOptions,
  {
    host,
    linkFor,
  }: { readonly host: Host; readonly linkFor: (who: { agent: string; user: string }) => Promise<string> },
  closings: ((graceMs: number) => Promise<unknown>)[],
): Promise<OpenedBots> {
  const { store, config, services: duties, log, clock = () => new Date() } = opening;
  const bots = new Map<string, { readonly bot: Bot; readonly posted: boolean }>();
  const all = config.telegram === undefined ? [] : [config.telegram].flat();
  const mine = all.filter((one) => (usesWebhook(one) ? duties.webhooks : duties.polling));
  if (mine.length === 0) return { bots, undecided: [] };
  const { createTelegram } = await import("./telegram.ts");
  const { decided, undecided } = await decideBots(store, mine);
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
