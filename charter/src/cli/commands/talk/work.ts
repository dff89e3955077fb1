import { untilStopped } from "../../serve/running.ts";
import { configOf, openServing, servingOptions } from "../../serve/serving.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { withStore } from "../../shared/store.ts";

const options = { ...servingOptions, quiet: { type: "boolean" } } as const;

/** Schedules and bots, without HTTP. Any number of them share the work. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("work", args, options);
  noMoreWords("work", positionals);
  const config = await configOf(values);
  return withStore({ database: config.database }, async (store) => {
    const opened = await openServing(store, config, { schedules: true, polling: true }, values.quiet === true);
    const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
    const bots = [...opened.bots.keys()];
    const facts = { database: store.home.place, telegram: bots };
    const told = `Charter works on the schedules${bots.length > 0 ? ` and bots (${bots.join(", ")})` : ""} of ${store.home.place}.`;
    process.stdout.write(`${values.json ? JSON.stringify(facts) : told}\n`);
    await stopped;
    return 0;
  });
}
