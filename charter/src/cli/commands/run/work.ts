import { configOf, openServer, serverOptions } from "../../serve/open-server.ts";
import { untilStopped } from "../../serve/until-stopped.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { withStore } from "../../shared/store.ts";

const options = { ...serverOptions, quiet: { type: "boolean" } } as const;

/** Schedules and bots, without HTTP. Any number of them share the work. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("work", args, options);
  noMoreWords("work", positionals);
  const config = await configOf(values);
  return withStore({ database: config.database }, async (store) => {
    const opened = await openServer(store, config, { schedules: true, polling: true }, values.quiet === true);
    const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
    const bots = [...opened.bots.keys()];
    const facts = { database: store.home.place, telegram: bots };
    const told = `Charter works on the schedules${bots.length > 0 ? ` and bots (${bots.join(", ")})` : ""} of ${store.home.place}.`;
    process.stdout.write(`${values.json ? JSON.stringify(facts) : told}\n`);
    await stopped;
    return 0;
  });
}
