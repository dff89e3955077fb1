import { onlyWord, parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("thaw", args, storeOptions);
  const name = onlyWord("thaw", "the name of an agent", positionals);
  return withStore(values, async (store) => {
    const { frozen } = await store.agents.get(name);
    const agent = await store.agents.thaw(name);
    const told = frozen === null ? `“${name}” was not frozen.` : `“${name}” is not frozen any more.`;
    process.stdout.write(`${values.json ? JSON.stringify(agent) : told}\n`);
    return 0;
  });
}
