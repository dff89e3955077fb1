import { coreSlug } from "../../../sources/core-memory/slug.ts";
import { publicationLines } from "../../print/publication.ts";
import { coreOptions, withCore } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";

/** Sends again what waits, and what the relays have lost: the same event, under the same id. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, coreOptions);
  noMoreWords("core", positionals);
  return withCore(values, async ({ agent, memory }) => {
    const publication = (await memory.publish()) ?? null;
    const lines = publication
      ? publicationLines(publication, coreSlug)
      : [`Nothing of “${agent.name}” waits to be published.`];
    const facts = { agent: agent.name, publication };
    process.stdout.write(values.json ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`);
    return publication === null || publication.state === "published" ? 0 : 1;
  });
}
