import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { homeOf, storeOptions } from "../../shared/store.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("migrate", args, storeOptions);
  noMoreWords("migrate", positionals);
  const home = await homeOf(values, true);
  try {
    const { schemaVersion } = await import("../../../store/home/schema.ts");
    const version = await home.version();
    const isOld = version !== undefined && version < schemaVersion;
    if (isOld) process.stderr.write(`Bringing ${home.place} to schema ${schemaVersion}; a large one takes minutes.\n`);
    const { from, to } = version === schemaVersion ? { from: version, to: version } : await home.migrate();
    // Tables may have been made anew: the room the old ones took is given back.
    if (isOld) await home.vacuum();
    const told =
      from === 0
        ? `${home.place} is ready, with schema ${to}.`
        : from === to
          ? `${home.place} already has schema ${to}.`
          : `${home.place} was brought from schema ${from} to ${to}.`;
    process.stdout.write(`${values.json ? JSON.stringify({ database: home.place, from, to }) : told}\n`);
    return 0;
  } finally {
    await home.close();
  }
}
