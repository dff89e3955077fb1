import { coreReport } from "../../../server/core-report.ts";
import { relayLines } from "../../print/core-memory.ts";
import { coreOptions, withCore } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";

/** How each relay does: what it has, and how far that is behind the newest. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, coreOptions);
  noMoreWords("core", positionals);
  return withCore(values, async ({ store, agent, memory }) => {
    const { text: _, ...report } = await coreReport(store, agent.name, memory);
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${relayLines(report).join("\n")}\n`);
    return report.status === "unavailable" ? 1 : 0;
  });
}
