import { preview } from "../../../prompt/character.ts";
import { counted } from "../../../prompt/problem.ts";
import type { SessionOverview } from "../../../store/turns/session-list.ts";
import { columns, oneLine, timeText } from "../../print/columns.ts";
import { counterpartOptions, userOption } from "../../shared/counterpart-options.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  agent: { type: "string", short: "a" },
  ...counterpartOptions,
  channel: { type: "string" },
  open: { type: "boolean" },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("sessions", args, options);
  noMoreWords("sessions", positionals[0] === "list" ? positionals.slice(1) : positionals);
  const page = pageValues(values);
  const { agent, channel, open } = values;
  const about = { agent, user: userOption(values), channel, open };
  return withStore(values, async (store) => {
    if (agent !== undefined) await store.agents.get(agent);
    const { rows, more } = await readPage((asked) => store.sessions.list({ ...about, ...asked }), page);
    const single = await store.sessions.countSingle(about);
    const besides = single === 0 ? [] : [`${counted(single, "session")} of one turn only: see charter turns.`];
    if (values.json) {
      const total = await store.sessions.count(about);
      process.stdout.write(`${JSON.stringify({ sessions: rows, more, total, single })}\n`);
    } else if (rows.length === 0) {
      const none = single === 0 ? "There is no session here." : "There is no session of several turns here.";
      process.stdout.write(`${[none, ...besides].join("\n")}\n`);
    } else {
      const names = ["session", "agent", "user", "channel", "turns", "last (UTC)", "first words"];
      const table = columns(names, rows.map(cells), process.stdout);
      process.stdout.write(`${[...table, ...morePages(more, page), ...besides].join("\n")}\n`);
    }
    return 0;
  });
}

function cells({ id, scope, channel, turns, lastAt, endedAt, firstInput }: SessionOverview): string[] {
  const last = `${timeText(lastAt)}${endedAt === null ? "" : ", ended"}`;
  const first = firstInput === null ? "–" : preview(oneLine(firstInput), 50);
  return [id, scope.agent, scope.user ?? "–", channel ?? "any", String(turns), last, first];
}
