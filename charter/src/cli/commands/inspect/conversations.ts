import type { Conversation } from "../../../store/conversations/conversations.ts";
import { counterpart } from "../../../store/conversations/counterpart.ts";
import { colours } from "../../print/colour.ts";
import { columns, oneLine, timeText } from "../../print/columns.ts";
import { noMoreWords, parseOptions, requiredOption } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  agent: { type: "string", short: "a" },
  counterpart: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("conversations", args, options);
  const agent = requiredOption("conversations", "agent", values.agent);
  const [address = values.counterpart, ...others] = positionals;
  noMoreWords("conversations", values.counterpart === undefined ? others : positionals);
  return address === undefined ? list(agent, values) : show(agent, address, values);
}

async function list(agent: string, values: Values): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    await store.agents.get(agent);
    const { rows, more } = await readPage((asked) => store.conversations.list(agent, asked), page);
    if (values.json)
      process.stdout.write(
        `${JSON.stringify({ conversations: rows, more, total: await store.conversations.count(agent) })}\n`,
      );
    else if (rows.length === 0) process.stdout.write(`“${agent}” has spoken with nobody yet.\n`);
    else {
      const cells = rows.map((one) => [one.counterpart, String(one.exchanges), timeText(one.lastAt)]);
      const table = columns(["with", "exchanges", "last (UTC)"], cells, process.stdout);
      process.stdout.write(`${[...table, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

/** One conversation, oldest first, as the agent would read it. */
async function show(agent: string, address: string, values: Values): Promise<number> {
  return withStore(values, async (store) => {
    await store.agents.get(agent);
    const found = await store.conversations.read(agent, address);
    if (values.json)
      process.stdout.write(`${JSON.stringify(found ?? { counterpart: counterpart(address), exchanges: [] })}\n`);
    else if (found) process.stdout.write(`${lines(found, agent).join("\n")}\n`);
    else process.stdout.write(`“${agent}” has no conversation with “${counterpart(address)}”.\n`);
    return found ? 0 : 1;
  });
}

function lines({ counterpart: name, exchanges }: Conversation, agent: string): string[] {
  const { dim, bold } = colours(process.stdout);
  return exchanges.flatMap(({ timestamp, turn_id, sender_body, agent_reply }) => [
    dim(`${timeText(timestamp)} UTC, turn ${turn_id}`),
    `${bold(oneLine(name))}: ${oneLine(sender_body)}`,
    `${bold(oneLine(agent))}: ${oneLine(agent_reply)}`,
  ]);
}
