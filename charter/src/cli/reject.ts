import { onlyWord, parseOptions } from "./options.ts";
import { storeOptions, withStore } from "./store.ts";

const options = { ...storeOptions, by: { type: "string" }, because: { type: "string" } } as const;

/** A person says no: nothing changes, and whoever asks again under the same key is told why. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("reject", args, options);
  const id = onlyWord("reject", "the id of a held proposal", positionals);
  return withStore(values, async (store) => {
    const held = await store.held.reject(id, values.by || "operator", values.because);
    process.stdout.write(
      values.json
        ? `${JSON.stringify(held)}\n`
        : `rejected: “${held.section}” of ${held.scope.agent} stays as it is.\n`,
    );
    return 0;
  });
}
