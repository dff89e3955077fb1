import { isPermission } from "../../../agent/turn/acting/permission.ts";
import { findHeld } from "../../../host/decide.ts";

import { callName } from "../../print/held-call.ts";
import { toolsText } from "../../print/held-tool.ts";
import { onlyWord, parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = { ...storeOptions, by: { type: "string" }, reason: { type: "string" } } as const;

/** A person says no: nothing changes and nothing is done, and whoever asks again is told why. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("reject", args, options);
  const id = onlyWord("reject", "the id of what is held", positionals);
  const by = values.by || "operator";
  return withStore(values, async (store) => {
    const { call, tool } = await findHeld(store, id);
    if (tool) {
      const rejected = await store.pins.reject(id, by, values.reason);
      const told = `rejected: ${toolsText(tool)} not offered to ${tool.agent} as described now.`;
      process.stdout.write(`${values.json ? JSON.stringify(rejected) : told}\n`);
      return 0;
    }
    if (call) {
      const rejected = await store.calls.reject(id, by, values.reason);
      const told = `rejected: ${callName(call)} of ${call.scope.agent} is not ${isPermission(call) ? "given" : "run"}.`;
      process.stdout.write(`${values.json ? JSON.stringify(rejected) : told}\n`);
      return 0;
    }
    const held = await store.held.reject(id, by, values.reason);
    process.stdout.write(
      values.json
        ? `${JSON.stringify(held)}\n`
        : `rejected: “${held.section}” of ${held.scope.agent} stays as it is.\n`,
    );
    return 0;
  });
}
