import type { ParsedCommand } from "../../command/parse-command.ts";
import { homeOf } from "../../shared/store.ts";

export async function run({ database, json }: ParsedCommand): Promise<number> {
  const home = await homeOf({ database }, true);
  try {
    const { schemaVersion } = await import("../../../store/home/schema.ts");
    const version = await home.version();
    const isOld = version !== undefined && version < schemaVersion;
    if (isOld) process.stderr.write(`Bringing ${home.place} to schema ${schemaVersion}; a large one takes minutes.\n`);
    const { from, to } = version === schemaVersion ? { from: version, to: version } : await home.migrate();
    // What SQL cannot work out. Whoever is stopped here, or an earlier one was, goes on next time, or when it is searched.
    const { indexNotes } = await import("../../../store/memory/index-notes.ts");
    const indexed = await indexNotes(home);
    const { indexTurns } = await import("../../../store/turns/list/index-turns.ts");
    const { createTexts } = await import("../../../store/texts/text.ts");
    const turns = await indexTurns({ home, texts: createTexts() });
    // Tables may have been made anew: the room the old ones took is given back.
    if (isOld) await home.vacuum();
    const told =
      from === 0
        ? `${home.place} is ready, with schema ${to}.`
        : from === to
          ? `${home.place} already has schema ${to}.`
          : `${home.place} was brought from schema ${from} to ${to}.`;
    const counted = (count: number, one: string) =>
      count === 0 ? [] : [`${count} ${one}${count === 1 ? " was" : "s were"} indexed for searching.`];
    const also = [told, ...counted(indexed, "note"), ...counted(turns, "turn")].join(" ");
    process.stdout.write(`${json ? JSON.stringify({ database: home.place, from, to, indexed, turns }) : also}\n`);
    return 0;
  } finally {
    await home.close();
  }
}
