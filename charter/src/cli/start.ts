import { keyVariables, standInName } from "../delivery/models/provider.ts";
import { Problem } from "../prompt/problem.ts";
import type { Config } from "../server/config.ts";
import type { Opened } from "../server/open.ts";
import type { Store } from "../store/store.ts";
import { whom } from "./chat/whom.ts";
import { colours } from "./colour.ts";
import { pairs } from "./columns.ts";
import { noMoreWords, parseOptions } from "./options.ts";
import { openPage } from "./serve/browser.ts";
import { freePort } from "./serve/port.ts";
import { untilStopped } from "./serve/running.ts";
import { configOf, openServing, servingOptions } from "./serve/serving.ts";
import { withStore } from "./store.ts";

const options = {
  ...servingOptions,
  port: { type: "string", short: "p" },
  "no-open": { type: "boolean" },
  verbose: { type: "boolean" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

/** Everything on this machine, in one process, with nothing to configure. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("start", args, options);
  noMoreWords("start", positionals);
  const config = await configOf(values);
  if (config.host !== undefined && !/^(?:127\.|localhost$|::1$)/.test(config.host))
    throw new Problem(
      "usage",
      `charter start is for this machine alone, and the host is ${config.host}.`,
      "For others to reach it: charter serve --host …",
    );
  return withStore({ database: config.database }, (store) => start(store, config, values), { create: true });
}

async function start(store: Store, config: Config, values: Values): Promise<number> {
  if ((await store.agents.list()).length === 0) await whom(store, {});
  const port = config.port ?? (await freePort(4747));
  const duties = { http: true, schedules: true, polling: true, webhooks: true };
  const opened = await openServing(store, { ...config, port }, duties, !values.verbose);
  const { signInLink } = await import("../server/sign-in.ts");
  const link = await signInLink(store, config.url ?? (opened.url as string));
  if (values.json) process.stdout.write(`${JSON.stringify(await factsOf(opened, store, link))}\n`);
  else process.stdout.write(`${(await banner(opened, store, link)).join("\n")}\n`);
  if (process.stdout.isTTY && !values["no-open"] && !values.json) openPage(link);
  await untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
  return 0;
}

async function factsOf({ url, house, bots }: Opened, store: Store, link: string) {
  const agents = (await store.agents.list()).map(({ name }) => name);
  const model = await house.modelOf(agents[0] as string).catch(() => undefined);
  const telegram = Object.fromEntries([...bots].map(([agent, name]) => [agent, name ?? null]));
  return { url, link, database: store.home.place, agents, model: model?.receiver.name ?? null, telegram };
}

async function banner(opened: Opened, store: Store, link: string): Promise<string[]> {
  const { bold, cyan, dim, yellow } = colours(process.stdout);
  const { url, agents, model, telegram, database } = await factsOf(opened, store, link);
  const bots = Object.entries(telegram).map(([agent, name]) => (name ? `@${name} (${agent})` : agent));
  const rows: [string, string][] = [
    ["agents", agents.join(", ")],
    ["model", model === null ? "none could be loaded; say which with --model" : model],
    ["telegram", bots.length === 0 ? "off; docs/telegram.md says how to turn it on" : bots.join(", ")],
    ["database", database],
    ["api", `${url}/docs`],
  ];
  return [
    `${bold("Charter")} is running at ${cyan(url as string)}`,
    "",
    "Sign in (once, within ten minutes; charter tokens sign-in makes another link):",
    `  ${cyan(link)}`,
    "",
    ...pairs(rows, process.stdout),
    ...(model === standInName
      ? [yellow(`No model is connected: a script answers. Set ${keyVariables.join(" or ")} for a real one.`)]
      : []),
    dim("Ctrl-C stops it."),
  ];
}
