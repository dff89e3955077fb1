import { loadAgent } from "./agent.ts";
import { deskFor } from "./desk.ts";
import { onlyWord, parseOptions } from "./options.ts";
import { roomOf } from "./room.ts";
import { storeOptions, withStore } from "./store.ts";
import { printVerdict } from "./verdict.ts";

/** A person says yes: the guards speak once more, about what stands now, and only the one that asked is silent. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("approve", args, { ...storeOptions, by: { type: "string" } });
  const id = onlyWord("approve", "the id of a held proposal", positionals);
  return withStore(values, async (store) => {
    const { scope, section } = await store.held.get(id);
    const loaded = await loadAgent(store, scope);
    const desk = await deskFor(loaded, await roomOf(loaded.given.charter, {}, false));
    const outcome = await store.held.approve(id, values.by || "operator", desk);
    const code = printVerdict({ ...outcome, held: id }, section, values.json);
    if (code !== 0 && !values.json)
      process.stdout.write(`It still waits. Approve it again when nothing objects any more, or charter reject ${id}\n`);
    return code;
  });
}
