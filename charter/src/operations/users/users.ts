import { defined } from "../../prompt/argument.ts";
import { readPage } from "../../store/home/query.ts";
import { notFound } from "../caller.ts";
import { more, page, total } from "../common-fields.ts";
import { list, object, text, time } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { columns, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { operations as invitations } from "./invitations.ts";
import { operations as links } from "./links.ts";

export const zone = text("The user's own time zone; prompts tell the time in it. Without one it is the operator's.")
  .example("Europe/Berlin")
  .option("zone")
  .nullable();
const id = text("The user's id.").example("bo");
const user = object({ id: text().example("bo"), zone, createdAt: time() }).named("User", "Someone an agent works for.");

const listUsers = operation({
  name: "users.list",
  says: "List users",
  route: "GET /users",
  command: "users [list]",
  examples: [["charter users", "whoever was set up, invited or linked, or took a turn"]],
  who: "operator",
  input: { prefix: text("Only ids that begin with it.").option("letters").optional(), ...page },
  answer: object({ users: list(user), more, total }).named("UserList", "By id."),
  statuses: { 200: "By id." },
  run: async ({ store }, { prefix, ...asked }) => {
    const only = defined({ prefix });
    const { rows, more } = await readPage((one) => store.users.list({ ...one, ...only }), asked);
    return { users: rows, more, total: await store.users.count(only) };
  },
  lines: ({ users }) => {
    if (users.length === 0) return [hintsHere("There is no user here yet. Invite one: charter users invite bo")];
    const cells = users.map(({ id, zone, createdAt }) => [id, zone ?? "–", timeText(createdAt)]);
    return columns(["user", "time zone", "since (UTC)"], cells, process.stdout);
  },
});

const showUser = operation({
  name: "users.show",
  says: "Get a user",
  route: "GET /users/{user}",
  who: "operator",
  input: { user: id },
  answer: user,
  statuses: { 200: "The user." },
  run: async ({ store }, { user: id }) => {
    const found = await store.users.find(id);
    if (!found) throw notFound(`user “${id}”`);
    return found;
  },
});

const put = {
  who: "operator",
  input: { user: id, zone: zone.optional() },
  answer: user,
  /** A command takes a zone away with an empty one. */
  run: ({ store }: OperationContext, { user: id, zone }: { readonly user: string; readonly zone?: string | null }) =>
    store.users.put({ id, ...defined({ zone: zone === "" ? null : zone }) }),
  lines: ({ id, zone }: (typeof user)["holds"]) => [
    zone === null ? `“${id}” has no time zone of their own.` : `The time zone of “${id}” is ${zone}.`,
  ],
} as const;

const createUser = operation({
  ...put,
  name: "users.create",
  says: "Add a user",
  command: "users create <user>",
  examples: [["charter users create bo --zone Europe/Berlin", "add a user, with or without a time zone"]],
  makesDatabase: true,
});

const setUser = operation({
  ...put,
  name: "users.set",
  says: "Create or change a user",
  about: "What is left out stays.",
  route: "PUT /users/{user}",
  command: "users set <user>",
  examples: [["charter users set bo --zone Europe/Berlin", 'change the time zone; "" removes it']],
  example: { zone: "Europe/Berlin" },
  statuses: { 200: "The user." },
});

export const operations = [listUsers, showUser, createUser, setUser, ...invitations, ...links];
