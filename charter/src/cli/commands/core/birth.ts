import { coreReport } from "../../../server/core-report.ts";
import { coreStatusLines } from "../../print/core-memory.ts";
import { coreOptions, withCore } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";

/** The operator's word for a key that was made elsewhere. Where a core memory is found all the same, that one counts. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, coreOptions);
  noMoreWords("core", positionals);
  return withCore(values, async ({ store, agent, memory }) => {
    await memory.noteBirth();
    const report = await coreReport(store, agent.name, memory);
    const { text: _, ...facts } = report;
    const told = `On record: nothing was ever written with the key of “${agent.name}”.`;
    const lines = [told, ...coreStatusLines(report)];
    process.stdout.write(values.json ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`);
    return report.status === "empty" ? 0 : 1;
  });
}
