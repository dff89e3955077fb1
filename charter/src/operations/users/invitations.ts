import { defined } from "../../prompt/argument.ts";
import type { Invitation, Invitee } from "../../store/accounts/users.ts";
import { readPage } from "../../store/home/query.ts";
import { agent, flag, list, more, object, oneOf, page, text, time, whole } from "../field.ts";
import { onlyAgent } from "../only-one.ts";
import { type OperationContext, operation } from "../operation.ts";
import { columns, oneLine, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { addressIn, invitationLink, url } from "./tokens.ts";

const onlyUser = text("Only of this user.").option("id", "u").optional();
const onlyWith = agent.says("The agent it is with.").optional();

const facts = {
  id: text(),
  agent: text().example("ada"),
  user: text().example("bo"),
  state: oneOf(["open", "used", "revoked", "expired"]),
  createdAt: time(),
  expiresAt: time(),
  usedAt: time().nullable(),
  revokedAt: time().nullable(),
};
const invitation = object(facts).named("Invitation", "That a user may come to an agent: some days, once.");

const listInvitations = operation({
  name: "invitations.list",
  says: "List invitations",
  route: "GET /invitations",
  command: "users invitations [list]",
  examples: [["charter users invitations", "list them: open, used, revoked or expired"]],
  who: "operator",
  input: { agent: onlyWith, user: onlyUser, ...page },
  answer: object({ invitations: list(invitation), more }).named("InvitationList", "Oldest first, without their links."),
  statuses: { 200: "Oldest first." },
  run: async ({ store }, { agent, user, ...asked }) => {
    const scope = defined({ agent, user });
    const { rows, more } = await readPage((one) => store.invitations.list({ ...one, ...scope }), asked);
    return { invitations: rows, more };
  },
  lines: ({ invitations }) => {
    if (invitations.length === 0)
      return [hintsHere("Nobody was invited here. Invite someone: charter users invite bo")];
    const cells = invitations.map((one) => [one.id, one.user, one.agent, stateOf(one)]);
    return columns(["id", "user", "agent", "state"], cells, process.stdout);
  },
});

function stateOf({ state, usedAt, revokedAt, expiresAt }: Invitation): string {
  if (state === "open") return `open until ${timeText(expiresAt)}`;
  return `${state} ${timeText(usedAt ?? revokedAt ?? expiresAt)}`;
}

const created = object({
  invitations: list(
    object({
      ...facts,
      email: text("As a file of people has it.").optional(),
      url: text().example("https://charter.example.org/chat/invitation#…"),
    }),
  ),
  already: list(invitation, "Who came by an invitation, or has an open one: they were left alone."),
}).named("CreatedInvitations", "All, or nobody was invited. Each link is shown only this once.");

const createInvitations = operation({
  name: "invitations.create",
  says: "Invite users",
  about:
    "Each gets a link to the page for users that works once. All are invited, or nobody. Who came by an invitation before, or has an open one, is left alone, unless `again` is given.",
  route: "POST /agents/{agent}/invitations",
  command: "users invite <whom>",
  examples: [
    ["charter users invite bo --agent ada", "print a link that lets bo in at the page for users: once, in 7 days"],
    ["charter users invite people.csv --out links.csv", "a link for each person in the file, or for nobody"],
  ],
  notes:
    "people.csv begins with the names of its columns: user, and if you like email, agent and zone. The address is written beside the link, and kept nowhere. Who was invited before is left alone, so a longer file can be given again.",
  example: { people: [{ user: "bo" }, { user: "cy", zone: "Europe/Berlin" }] },
  who: "operator",
  input: {
    agent: agent.says("The agent (default: the only one there is).").optional(),
    people: list(object({ user: text(), zone: text().optional() }), undefined, { least: 1, most: 1000 }).only("route"),
    whom: text("A user, or a file of people.").only("command").optional(),
    days: whole("How many days each is good; 7, unless given, at most 90.").option("n").optional(),
    again: flag("New invitations also for who was invited before; an open one ends.").optional(),
    out: text("Write the links there (user,agent,email,link,expires), for your eyes only.")
      .option("file", "o")
      .only("command")
      .optional(),
    url,
  },
  answer: created,
  statuses: { 201: "The links; they are shown only once." },
  run: async (context, { agent: namedAgent, people, days, again }) => {
    const agent = await onlyAgent(context.store, namedAgent);
    const invitees = people.map(({ user, zone }) => ({ user, agent, ...defined({ zone }) }));
    return inviteAll(context, invitees, { days, again });
  },
});

/** Invites all of them or none, and returns a link for each. */
export async function inviteAll(
  context: OperationContext,
  wanted: readonly Invitee[],
  about: {
    readonly days?: number | undefined;
    readonly again?: boolean | undefined;
    readonly url?: string | undefined;
  },
): Promise<(typeof created)["holds"]> {
  const { days, again, url } = about;
  const base = await addressIn(context, url);
  const { made, already } = await context.store.invitations.create(wanted, defined({ days, again }));
  return { invitations: made.map(({ secret, ...one }) => ({ ...one, url: invitationLink(base, secret) })), already };
}

const revokeInvitations = operation({
  name: "invitations.revoke",
  says: "Revoke an invitation",
  about: "Its link works no more; of a user, all that are open. Whoever has used one stays signed in.",
  route: "DELETE /invitations/{id}",
  command: "users invitations revoke <id>",
  examples: [["charter users invitations revoke bo", "take back what is open, by user or by id"]],
  who: "operator",
  input: { id: text("An id or a user."), agent: onlyWith },
  answer: object({ invitations: list(invitation) }).named("RevokedInvitations"),
  statuses: { 200: "It is revoked." },
  run: async ({ store }, { id, agent }) => {
    const isUser = (await store.invitations.list({ user: id, limit: 1 })).length > 0;
    return { invitations: await store.invitations.revoke(isUser ? { user: id, ...defined({ agent }) } : { id }) };
  },
  lines: ({ invitations }) =>
    invitations.map(({ user, agent }) => `The invitation of “${user}” to “${agent}” is revoked.`),
});

const identity = object({
  issuer: text(),
  subject: text(),
  agent: text(),
  user: text(),
  at: time(),
}).named("BoundPerson", "A person of an issuer, and the user they are with an agent.");

const listIdentities = operation({
  name: "identities.list",
  says: "List who signs in at the issuer",
  route: "GET /identities",
  command: "users identities",
  examples: [["charter users identities", "who signs in at your issuer (oidc) as which user"]],
  who: "operator",
  input: { user: onlyUser, ...page },
  answer: object({ identities: list(identity), more }).named("IdentityList"),
  statuses: { 200: "By user. Who is listed in the configuration is not among them." },
  run: async ({ store }, { user, ...asked }) => {
    const { rows, more } = await readPage((one) => store.identities.list({ ...one, ...defined({ user }) }), asked);
    return { identities: rows, more };
  },
  lines: ({ identities }) => {
    if (identities.length === 0) return ["Nobody is bound to an issuer here. Who signs in from an invitation is."];
    const cells = identities.map(({ user, agent, subject, issuer }) => [user, agent, subject, issuer]);
    return columns(["user", "agent", "subject", "issuer"], cells, process.stdout);
  },
});

const removeIdentities = operation({
  name: "identities.remove",
  says: "Unbind a user from the issuer",
  about: "Nobody signs in at the issuer as this user any more, and sessions with those agents end.",
  route: "DELETE /users/{user}/identities",
  command: "users unbind <user>",
  examples: [["charter users unbind bo", "nobody signs in there as bo any more; bo is signed out"]],
  who: "operator",
  input: { user: text("The user's id.").example("bo"), agent: onlyWith },
  answer: object({ identities: list(identity) }).named("UnboundIdentities", "Who signs in as this user no longer."),
  statuses: { 200: "Who was bound." },
  run: async ({ store }, { user, agent }) => {
    const removed = await store.identities.remove({ user, ...defined({ agent }) });
    for (const { agent, user } of removed) await store.tokens.endChats({ agent, user });
    return { identities: removed };
  },
  lines: ({ identities }) =>
    identities.map(({ agent, subject, user }) => `“${oneLine(subject)}” is not “${user}” with “${agent}” any more.`),
});

export const operations = [
  ...[listInvitations, createInvitations, revokeInvitations],
  ...[listIdentities, removeIdentities],
];
