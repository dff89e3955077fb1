import { coreSlug } from "../../../sources/core-memory/slug.ts";
import { columns } from "../../print/columns.ts";
import { eventTime, oneReason } from "../../print/core-memory.ts";
import { coreOptions, withCore } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";

const options = { ...coreOptions, all: { type: "boolean" } } as const;

/** The memories besides the core; those that were deleted only where they were asked for. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, options);
  noMoreWords("core", positionals);
  return withCore(values, async ({ agent, memory }) => {
    const { heads, relays, truncated } = await memory.list();
    const memories = heads
      .filter(({ slug, text }) => slug !== coreSlug && (values.all || text !== null))
      .map(({ slug, text, event, relay }) => ({ slug, text, id: event.id, createdAt: event.created_at, relay }));
    const answered = relays.filter(({ trouble }) => trouble === undefined);
    const isWhole = answered.length > 0 && truncated.length === 0;
    const facts = { agent: agent.name, memories, whole: isWhole, truncated, relays };
    if (values.json) process.stdout.write(`${JSON.stringify(facts)}\n`);
    else {
      const cells = memories.map(({ slug, text, id, createdAt }) => [
        slug,
        eventTime(createdAt),
        id.slice(0, 12),
        text ?? "(deleted)",
      ]);
      const none = isWhole ? `“${agent.name}” has no memories besides its core memory.` : "No memory was found.";
      const table = columns(["memory", "time (UTC)", "event", "words"], cells, process.stdout);
      process.stdout.write(`${(memories.length === 0 ? [none] : table).join("\n")}\n`);
      for (const { relay, trouble } of relays) if (trouble) process.stderr.write(`${oneReason(relay, trouble)}\n`);
      for (const relay of truncated)
        process.stderr.write(`${relay} may have more than it gave: the list may be short.\n`);
    }
    return isWhole ? 0 : 1;
  });
}
