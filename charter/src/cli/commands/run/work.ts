import { configOf, openServer, serverOptions } from "../../serve/open-server.ts";
import { untilStopped } from "../../serve/until-stopped.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { withStore } from "../../shared/store.ts";

const options = { ...serverOptions, quiet: { type: "boolean" } } as const;

/** Schedules, bots and automata, without HTTP. Any number of them share the work. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("work", args, options);
  noMoreWords("work", positionals);
  const config = await configOf(values);
  return withStore({ database: config.database }, async (store) => {
    const opened = await openServer(
      store,
      config,
      { schedules: true, polling: true, automata: true },
      values.quiet === true,
    );
    const stopped = untilStopped(opened, (words) => process.stderr.write(`${words}\n`));
    const bots = [...opened.bots.keys()];
    const { automata } = opened;
    const facts = { database: store.home.place, telegram: bots, automata };
    const named = (what: string, names: readonly string[]) =>
      names.length > 0 ? [`${what} (${names.join(", ")})`] : [];
    const work = ["schedules", ...named("bots", bots), ...named("automata", automata)].join(" and ");
    const told = `Charter works on the ${work} of ${store.home.place}.`;
    process.stdout.write(`${values.json ? JSON.stringify(facts) : told}\n`);
    await stopped;
    return 0;
  });
}
