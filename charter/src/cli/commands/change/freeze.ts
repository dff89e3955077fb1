import { hintsHere } from "../../print/command-name.ts";
import { onlyWord, parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

/** The operator's brake: from the next moment on, in every process. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("freeze", args, { ...storeOptions, all: { type: "boolean" } });
  const name = onlyWord("freeze", "the name of an agent", positionals);
  return withStore(values, async (store) => {
    await store.agents.get(name);
    const agent = await store.agents.freeze(name, values.all ? "agent" : "amendments");
    const stopped = values.all ? `“${name}” is frozen: it takes no turns` : `The amendments of “${name}” are frozen`;
    process.stdout.write(
      values.json ? `${JSON.stringify(agent)}\n` : hintsHere(`${stopped}. Undo it with: charter thaw ${name}\n`),
    );
    return 0;
  });
}
