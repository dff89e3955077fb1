import { Problem } from "../../../prompt/problem.ts";
import { coreReport } from "../../../server/core-report.ts";
import { coreSlug, isSlug } from "../../../sources/core-memory/slug.ts";
import { coreStatusLines, memoryFacts, memoryLines } from "../../print/core-memory.ts";
import { coreOptions, withCore } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { textFor } from "../../terminal/plain-text.ts";

/** The words on standard output and nothing else; where they are from, or why there are none, on standard error. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, coreOptions);
  const [slug = coreSlug, ...others] = positionals;
  noMoreWords("core", others);
  if (!isSlug(slug))
    throw new Problem(
      "bad-slug",
      `“${slug}” is no name of a memory.`,
      "Give core, or a name as in mem/people/ada: small letters, digits, “-” and “_”.",
    );
  return withCore(values, async ({ store, agent, memory }) => {
    if (slug === coreSlug) {
      const report = await coreReport(store, agent.name, memory);
      print(values.json, report, report.text, coreStatusLines(report));
      return report.status === "present" ? 0 : 1;
    }
    const facts = memoryFacts(slug, await memory.read(slug));
    print(values.json, facts, facts.text, memoryLines(facts));
    return facts.status === "present" ? 0 : 1;
  });
}

function print(json: boolean | undefined, facts: object, text: string | null, lines: readonly string[]): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(facts)}\n`);
    return;
  }
  if (text !== null) process.stdout.write(textFor(process.stdout, text.endsWith("\n") ? text : `${text}\n`));
  for (const line of lines) process.stderr.write(`${line}\n`);
}
