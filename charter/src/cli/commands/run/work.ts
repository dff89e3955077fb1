import type { WorkInput } from "../../../operations/here/run.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { openServer, serverSetup, untilStopped } from "../../serve/open-server.ts";
import { withStore } from "../../shared/store.ts";

/** Schedules, bots and automata, without HTTP. Any number of them share the work. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
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
    const named = (what: string, names: readonly string[]) =>
      names.length > 0 ? [`${what} (${names.join(", ")})`] : [];
    const work = ["schedules", ...named("bots", bots), ...named("automata", automata)].join(" and ");
    const told = `Charter works on the ${work} of ${store.home.place}.`;
    process.stdout.write(`${json ? JSON.stringify(facts) : told}\n`);
    await stopped;
    return 0;
  });
}
