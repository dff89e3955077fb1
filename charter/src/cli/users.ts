import { Problem } from "../prompt/problem.ts";
import { columns, timeText } from "./columns.ts";
import { noMoreWords, parseOptions } from "./options.ts";
import { morePages, pageOptions, pageValues, readPage } from "./page.ts";
import { storeOptions, withStore } from "./store.ts";

const options = { ...storeOptions, ...pageOptions, zone: { type: "string" } } as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("users", args, options);
  const [verb = "list", id, ...others] = positionals;
  if (verb === "list") {
    noMoreWords("users", positionals.slice(1));
    if (values.zone !== undefined)
      throw new Problem("usage", "charter users list does not take --zone.", "Say charter users set <id> --zone …");
    return list(values);
  }
  if (verb !== "set") throw new Problem("usage", `charter users does not understand “${verb}”.`, "Say list or set.");
  noMoreWords("users", others);
  const { zone } = values;
  if (id === undefined || zone === undefined)
    throw new Problem(
      "usage",
      "charter users set needs an id and a --zone.",
      'As in: charter users set bo --zone Europe/Berlin ("" takes the zone away)',
    );
  return withStore(values, async (store) => {
    const user = await store.users.put({ id, zone: zone === "" ? null : zone });
    const told = user.zone === null ? `“${id}” has no time zone of their own.` : `“${id}” lives in ${user.zone}.`;
    process.stdout.write(`${values.json ? JSON.stringify(user) : told}\n`);
    return 0;
  });
}

async function list(values: Values): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const { rows, more } = await readPage(store.users.list, page);
    if (values.json) process.stdout.write(`${JSON.stringify({ users: rows, more })}\n`);
    else if (rows.length === 0)
      process.stdout.write("No user is set up here. Set one up: charter users set bo --zone Europe/Berlin\n");
    else {
      const cells = rows.map(({ id, zone, createdAt }) => [id, zone ?? "–", timeText(createdAt)]);
      const lines = columns(["user", "time zone", "since (UTC)"], cells, process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}
