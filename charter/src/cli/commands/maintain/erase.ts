import type { UserDirectories } from "../../../host/host.ts";
import type { ErasableData } from "../../../store/lifecycle/erase.ts";
import { colours } from "../../print/colour.ts";
import { columns } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { counterpartOptions, userOption } from "../../shared/counterpart-options.ts";
import { hostOf } from "../../shared/inbox-agent.ts";
import { noMoreWords, parseOptions, requiredOption } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

/** What becomes of each kind of row; a table that is not named here is deleted from. */
const fates: Readonly<Record<string, string>> = {
  amendments: "words erased, digests stay",
  standings: "words erased, the last digest stays",
  steps: "what was sent erased, digests stay",
  turns: "input and reply erased",
  events: "details erased",
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("erase", args, {
    ...storeOptions,
    ...counterpartOptions,
    agent: { type: "string", short: "a" },
    yes: { type: "boolean" },
  });
  noMoreWords("erase", positionals);
  const user = requiredOption("erase", "user", userOption(values));
  const who = { user, agent: values.agent };
  return withStore(values, async (store) => {
    const host = await hostOf(store);
    const erased = values.yes ? await host.erase(who) : undefined;
    const found = erased ?? (await host.erasable(who));
    const done = erased !== undefined && isSomething(erased);
    if (values.json) process.stdout.write(`${JSON.stringify({ user, erased: done, ...found })}\n`);
    else process.stdout.write(`${told(values.counterpart ?? user, found, done).join("\n")}\n`);
    if (erased?.scrubbed === false)
      process.stderr.write(
        `Another process still reads ${store.home.place}, so erased text may still be in its log. When that process is done, run this again.\n`,
      );
    return done ? 0 : 1;
  });
}

type Found = ErasableData & UserDirectories;

function isSomething({ rows, directories }: Found): boolean {
  return Object.keys(rows).length + directories.length > 0;
}

const onChain =
  "What was posted or replied on a chain stays there for everyone to read: no one can erase a transaction.";

function told(user: string, found: Found, done: boolean): string[] {
  const paint = colours(process.stdout);
  const { agents, rows, directories } = found;
  if (!isSomething(found)) return [`Nothing is kept about “${user}”.`];
  const tables = Object.entries(rows).map(([table, count]) => [table, String(count), fates[table] ?? "deleted"]);
  const cells = [...tables, ...directories.map((path) => [path, "", "directory removed"])];
  const whom = agents.length === 0 ? "" : ` with ${agents.join(", ")}`;
  return [
    done ? `${paint.green("erased")} “${user}”${whom}` : `This would be erased of “${user}”${whom}:`,
    ...columns(["what", "rows", "becomes"], cells, process.stdout),
    ...(rows.chain_messages === undefined ? [] : [onChain]),
    ...(done
      ? []
      : [hintsHere("It cannot be undone. To do it, say the same with --yes; charter export saves it first.")]),
  ];
}
