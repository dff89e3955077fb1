import type { ServeInput, WorkInput } from "../../../operations/here/run.ts";
import { hintsHere } from "../../../operations/print/command-name.ts";
import { requireService } from "../../../packages/load-package.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { OpenedCharter } from "../../../server/open.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { openServer, serverSetup, untilStopped } from "../../serve/open-server.ts";
import { homeOf, withStore } from "../../shared/store.ts";
import type { Here } from "../../shared/trust/here.ts";

/** Runs the two halves of `charter start` in processes of their own. */
export function run(parsed: ParsedCommand): Promise<number> {
  return parsed.operation.name === "here.work" ? doWork(parsed) : serve(parsed);
}

/** Serves HTTP alone, for others to reach; any number of such processes share a PostgreSQL. */
async function serve({ input, json, database }: ParsedCommand): Promise<number> {
  const values = input as ServeInput;
  requireService({ purpose: "charter serve" });
  const setup = await serverSetup({ ...values, json, database });
  const { config, here } = setup;
  if (config.host === undefined)
    throw new Problem(
      "usage",
      "charter serve needs to know where to listen.",
      "Give --host 0.0.0.0 (or CHARTER_HOST), behind a proxy that speaks https; for this machine alone: charter start.",
    );
  if (values.migrate) await migrateFirst(config.database, here);
  return withStore(
    { database: config.database, here },
    async (store) => {
      const opened: OpenedCharter = await openServer(
        store,
        setup,
        { http: true, webhooks: true },
        values.quiet === true,
      );
      const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
      const facts = { url: opened.url, database: store.home.place };
      const message = `Charter serves at ${opened.url}, from ${store.home.place}. Schedules run in charter work.`;
      const link = `Sign in with a link: charter tokens sign-in --url ${config.url ?? opened.url}`;
      process.stdout.write(`${json ? JSON.stringify(facts) : hintsHere(`${message}\n${link}`)}\n`);
      await stopped;
      return 0;
    },
    { create: true },
  );
}

async function migrateFirst(database: string | undefined, here: Here): Promise<void> {
  const home = await homeOf({ database, here }, true);
  const { from, to, copy } = await home.migrate().finally(home.close);
  if (from !== 0 && from !== to)
    process.stderr.write(
      `The database was brought from schema ${from} to ${to}.${copy === undefined ? "" : ` Before, it was ${copy}.`}\n`,
    );
}

/** Runs schedules, bots and automata, without HTTP. Any number of such processes share the work. */
async function doWork({ input, json, database }: ParsedCommand): Promise<number> {
  const values = input as WorkInput;
  const setup = await serverSetup({ ...values, json, database });
  return withStore({ database: setup.config.database, here: setup.here }, async (store) => {
    const opened = await openServer(
      store,
      setup,
      { schedules: true, polling: true, automata: true },
      values.quiet === true,
    );
    const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
    const bots = [...opened.bots.keys()];
    const { automata } = opened;
    const facts = { database: store.home.place, telegram: bots, automata };
    const workText = (what: string, names: readonly string[]) =>
      names.length > 0 ? [`${what} (${names.join(", ")})`] : [];
    const work = ["schedules", ...workText("bots", bots), ...workText("automata", automata)].join(" and ");
    const message = `Charter works on the ${work} of ${store.home.place}.`;
    process.stdout.write(`${json ? JSON.stringify(facts) : message}\n`);
    await stopped;
    return 0;
  });
}
