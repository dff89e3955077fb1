import { requireService } from "../../../packages/service-package.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { OpenedCharter } from "../../../server/open.ts";
import { hintsHere } from "../../print/command-name.ts";
import { configOf, openServer, serverOptions } from "../../serve/open-server.ts";
import { untilStopped } from "../../serve/until-stopped.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { withStore } from "../../shared/store.ts";

const options = {
  ...serverOptions,
  port: { type: "string", short: "p" },
  host: { type: "string" },
  quiet: { type: "boolean" },
} as const;

/** The HTTP part alone, for others to reach; any number of them share a PostgreSQL. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("serve", args, options);
  noMoreWords("serve", positionals);
  requireService({ purpose: "charter serve" });
  const config = await configOf(values);
  if (config.host === undefined)
    throw new Problem(
      "usage",
      "charter serve needs to know where to listen.",
      "Give --host 0.0.0.0 (or CHARTER_HOST), behind a proxy that speaks https; for this machine alone: charter start.",
    );
  return withStore(
    { database: config.database },
    async (store) => {
      const opened: OpenedCharter = await openServer(
        store,
        config,
        { http: true, webhooks: true },
        values.quiet === true,
      );
      const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
      const facts = { url: opened.url, database: store.home.place };
      const told = `Charter serves at ${opened.url}, from ${store.home.place}. Schedules run in charter work.`;
      const link = `Sign in with a link: charter tokens sign-in --url ${config.url ?? opened.url}`;
      process.stdout.write(`${values.json ? JSON.stringify(facts) : hintsHere(`${told}\n${link}`)}\n`);
      await stopped;
      return 0;
    },
    { create: true },
  );
}
