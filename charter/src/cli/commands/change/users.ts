import { Problem } from "../../../prompt/problem.ts";
import { columns, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { identities, invitations, unbind } from "./invitations.ts";
import { invite } from "./invite.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  zone: { type: "string" },
  agent: { type: "string", short: "a" },
  channel: { type: "string" },
  days: { type: "string" },
  again: { type: "boolean" },
  url: { type: "string" },
  out: { type: "string", short: "o" },
} as const;

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
  if (verb === "link") return link(id, others, values);
  if (verb === "invitations") return invitations(positionals.slice(1), values);
  if (verb === "identities") return identities(positionals.slice(1), values);
  if (!["set", "create", "invite", "unbind"].includes(verb))
    throw new Problem(
      "usage",
      `charter users does not understand “${verb}”.`,
      "Say list, create, set, link, invite, invitations, identities or unbind.",
    );
  noMoreWords("users", others);
  if (verb === "invite") return invite(id, values);
  if (verb === "unbind") return unbind(id, values);
  const { zone } = values;
  if (verb === "create" && id !== undefined) return put({ id, ...(zone ? { zone } : {}) }, values, true);
  if (id === undefined || zone === undefined)
    throw new Problem(
      "usage",
      "charter users set needs an id and a --zone.",
      'As in: charter users set bo --zone Europe/Berlin ("" takes the zone away)',
    );
  return put({ id, zone: zone === "" ? null : zone }, values, false);
}

async function put(user: { id: string; zone?: string | null }, values: Values, create: boolean): Promise<number> {
  return withStore(
    values,
    async (store) => {
      const { id, zone } = await store.users.put(user);
      const told = zone === null ? `“${id}” has no time zone of their own.` : `The time zone of “${id}” is ${zone}.`;
      process.stdout.write(`${values.json ? JSON.stringify({ ...(await store.users.find(id)) }) : told}\n`);
      return 0;
    },
    { create },
  );
}

/** A code with which a Telegram chat becomes this user's. */
async function link(id: string | undefined, others: readonly string[], values: Values): Promise<number> {
  noMoreWords("users", others);
  const { agent, channel = "telegram" } = values;
  if (id === undefined || agent === undefined)
    throw new Problem(
      "usage",
      "charter users link needs a user and --agent.",
      "As in: charter users link bo --agent ada",
    );
  if (channel !== "telegram")
    throw new Problem("usage", `“${channel}” has no addresses to link.`, "Only telegram has.");
  return withStore(values, async (store) => {
    await store.agents.get(agent);
    const made = await store.links.createCode({ agent, user: id }, channel);
    const told = `${made.code}\n`;
    process.stdout.write(values.json ? `${JSON.stringify(made)}\n` : told);
    if (!values.json)
      process.stderr.write(
        `“${id}” sends it to the bot of “${agent}”: /start ${made.code} (once, until ${timeText(made.expiresAt)} UTC).\n`,
      );
    return 0;
  });
}

async function list(values: Values): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const { rows, more } = await readPage(store.users.list, page);
    if (values.json)
      process.stdout.write(`${JSON.stringify({ users: rows, more, total: await store.users.count() })}\n`);
    else if (rows.length === 0)
      process.stdout.write(hintsHere("There is no user here yet. Invite one: charter users invite bo\n"));
    else {
      const cells = rows.map(({ id, zone, createdAt }) => [id, zone ?? "–", timeText(createdAt)]);
      const lines = columns(["user", "time zone", "since (UTC)"], cells, process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}
