import { aStore } from "../../agent/agent-options.ts";
import { checkNeeded, defined, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { instantOf } from "../../schedules/instant.ts";
import { type Token, tokenKinds } from "../../store/accounts/tokens.ts";
import { readPage } from "../../store/home/query.ts";
import type { Store } from "../../store/store.ts";
import { ownScopeFor } from "../caller.ts";
import { agent, flag, list, more, object, oneOf, page, text, time, whole } from "../field.ts";
import { onlyAgent } from "../only-one.ts";
import { type OperationContext, operation } from "../operation.ts";
import { columns, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";

/** Server address for links that commands print: the service need not run where they do. */
export const url = text(
  "The server's address (default: CHARTER_URL, else url of a trusted charter.config.ts, else http://127.0.0.1:4747).",
)
  .option("address")
  .only("command")
  .optional();

export async function addressIn({ service }: OperationContext, url?: string): Promise<string> {
  return url ?? (await service.address?.()) ?? "";
}

/**
 * Creates a link that signs someone in, once, within ten minutes: the operator to the studio; or the named user to the page for
 * users, with one agent. The code stands behind the `#`, which browsers never send, so it is in no log.
 */
export async function signInLink(
  store: Store,
  base: string,
  whose?: { readonly agent: string; readonly user: string },
): Promise<string> {
  checkNeeded<{ store: Store; base: string }>(
    "signInLink",
    { store, base },
    {
      store: aStore,
      base: [isText, "Give the address of the service, as in https://charter.example."],
    },
  );
  return (await newSignInLink(store, base, whose)).url;
}

/** Creates a sign-in link and returns it with its expiry. */
async function newSignInLink(
  store: Store,
  base: string,
  whose?: { readonly agent: string; readonly user: string },
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const scope = whose === undefined ? {} : { agent: whose.agent, user: whose.user };
  const { secret, expiresAt } = await store.tokens.create({ name: "sign-in link", kind: "sign-in", ...scope });
  const page = whose === undefined ? "sign-in" : "chat";
  return { url: `${base.replace(/\/+$/, "")}/${page}#${secret}`, expiresAt: expiresAt as string };
}

/** Link of an invitation. The page behind it waits for a person to accept. */
export function invitationLink(base: string, secret: string): string {
  return `${base.replace(/\/+$/, "")}/chat/invitation#${secret}`;
}

const facts = {
  id: text(),
  name: text().example("Bo's phone"),
  kind: oneOf(tokenKinds),
  agent: text().nullable(),
  user: text().nullable(),
  createdAt: time(),
  expiresAt: time().nullable(),
  lastUsedAt: time().nullable(),
  revokedAt: time().nullable(),
};

const listTokens = operation({
  name: "tokens.list",
  says: "List API tokens",
  route: "GET /tokens",
  command: "tokens [list]",
  examples: [["charter tokens", "list them; only a digest of each token is stored"]],
  who: "operator",
  input: { user: text("Only those of this user.").example("bo").option("id", "u").optional(), ...page },
  answer: object({
    tokens: list(object(facts).named("Token", "A key to the API. Only its digest is kept.")),
    more,
  }).named("TokenList"),
  statuses: { 200: "Oldest first, without their secrets." },
  run: async ({ store }, { user, ...asked }) => {
    const all = (await store.tokens.list()).filter((one) => user === undefined || one.user === user);
    const { rows, more } = await readPage(async ({ limit, offset }) => all.slice(offset, offset + limit), asked);
    return { tokens: rows, more };
  },
  lines: ({ tokens }) => {
    if (tokens.length === 0) return [hintsHere("There is no token here. Make one: charter tokens create --operator")];
    const now = new Date().toISOString();
    const cells = tokens.map((one) => [
      ...[one.id, one.kind, one.user ?? "–", one.agent ?? "–"],
      ...[one.name, stateOf(one, now)],
    ]);
    return columns(["id", "kind", "user", "agent", "name", "state"], cells, process.stdout);
  },
});

function stateOf({ revokedAt, expiresAt, lastUsedAt }: Token, now: string): string {
  if (revokedAt !== null) return `revoked ${timeText(revokedAt)}`;
  if (expiresAt !== null && expiresAt <= now) return `expired ${timeText(expiresAt)}`;
  const used = lastUsedAt === null ? "not used yet" : `last used ${timeText(lastUsedAt)}`;
  return expiresAt === null ? used : `${used}, until ${timeText(expiresAt)}`;
}

const kinds = ["operator", "user", "agent", "inbox", "gateway"] as const;
type Kind = (typeof kinds)[number];

const createToken = operation({
  name: "tokens.create",
  says: "Create a token",
  about:
    "Operator tokens allow everything; user tokens that user's own data; agent tokens calling the agent's tools; inbox tokens posting messages to one agent and reading the replies; gateway tokens turns under /v1, for whomever the header of the setting `openaiUser` names.",
  route: "POST /tokens",
  command: "tokens create",
  examples: [
    ["charter tokens create --operator", "allows everything"],
    ["charter tokens create --user bo", "allows bo's own instructions, notes, turns and schedules"],
    ["charter tokens create --user bo --agent ada", "the same, with one agent only"],
    ["charter tokens create --agent ada", "allows calling ada's tools, for a program that runs her"],
    ["charter tokens create --kind agent --agent ada --user bo", "the same tools, for bo"],
    [
      "charter tokens create --kind inbox --agent ada --name shop",
      "posts to ada and reads replies; senders are shop/…",
    ],
    ["charter tokens create --kind gateway --name webui", "takes turns under /v1, for a chat page with many people"],
    "TOKEN=$(charter tokens create --user bo)",
    'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:4747/api/me',
  ],
  example: { name: "Bo's phone", kind: "user", user: "bo" },
  who: "operator",
  makesDatabase: true,
  input: {
    name: text(
      "A name to recognise it by. Senders are called after an inbox token (“shop/bo”): letters, digits, “.”, “_” and “-”, at most 64.",
      { form: /./su, reason: "must not be empty" },
    ).optional(),
    kind: oneOf(kinds, "What it allows; unless given, a user's where a user is named, else an agent's.").optional(),
    operator: flag("As --kind operator.").only("command").optional(),
    user: text("The user it is for.").example("bo").option("id", "u").optional(),
    agent: agent.says("The agent it is for, or the only one it opens.").optional(),
    expiresAt: text("An ISO 8601 time; without one it does not end.").only("route").optional(),
    days: whole("Expires after so many days (default: never).", { least: 0 }).option("n").only("command").optional(),
  },
  answer: object({ ...facts, secret: text().example("charter_…") }).named(
    "CreatedToken",
    "The secret is shown only this once.",
  ),
  statuses: { 201: "Keep `secret`: it is not shown again." },
  refuses: [404],
  run: async ({ store, clock }, { operator, user, agent, kind = kindOf({ operator, user, agent }), ...about }) => {
    const { name = kind, expiresAt, days } = about;
    if (agent !== undefined) await store.agents.get(agent);
    const expiry = expiresAt === undefined ? undefined : instantOf(expiresAt);
    const ends = days === undefined ? expiry : daysAfter(clock(), days);
    return store.tokens.create({ name, kind, ...defined({ user, agent, expiresAt: ends }) });
  },
  lines: ({ id, secret }) => ({
    out: [secret],
    err: [
      hintsHere(
        `This is the one time it is shown. It is sent as: Authorization: Bearer …; charter tokens revoke ${id} ends it.`,
      ),
    ],
  }),
});

/** Kind of token the given names imply. */
function kindOf({ operator, user, agent }: { [Name in "operator" | "user" | "agent"]: unknown }): Kind {
  if (operator) return "operator";
  if (user !== undefined) return "user";
  if (agent !== undefined) return "agent";
  throw new Problem(
    "usage",
    "It was not said who the token is for.",
    "Name a user, an agent or both; or give a kind: operator, or inbox, for whoever writes to an agent.",
  );
}

function daysAfter(now: Date, days: number): string {
  if (days > 0 && days <= 36_500) return new Date(now.getTime() + days * 86_400_000).toISOString();
  throw new Problem("usage", `A token cannot last ${days} days.`, "Give 1 to 36500, or leave it out: until revoked.");
}

const revokeToken = operation({
  name: "tokens.revoke",
  says: "Revoke a token",
  about: "It is refused from the next request on, and its open streams end within a second.",
  route: "DELETE /tokens/{id}",
  command: "tokens revoke <id>",
  examples: ["charter tokens revoke <id>"],
  who: "operator",
  input: { id: text("The id of a token.") },
  answer: object({ revoked: text() }).named("RevokeResult"),
  statuses: { 200: "The token is revoked." },
  run: async ({ store }, { id }) => {
    await store.tokens.revoke(id);
    return { revoked: id };
  },
  lines: ({ revoked }) => [`“${revoked}” is revoked.`],
});

const signIn = operation({
  name: "tokens.sign-in",
  says: "Create a link that signs someone in",
  about:
    "It signs one user in at `/chat`, with one agent, once, within ten minutes. An operator names the user, or gets their own; with a JSON Web Token a user gets theirs. Other tokens of users, and sessions of that page, cannot create links: a link could outlast them.",
  route: "POST /agents/{agent}/sign-in-links",
  command: "tokens sign-in",
  examples: [
    ["charter tokens sign-in", "print a link that signs the operator in, once"],
    ["charter tokens sign-in --user bo --agent ada", "print a link that signs bo in at the page for users, once"],
  ],
  example: { user: "bo" },
  who: "jwt",
  input: {
    agent: agent.says("The agent it is for; with --user, the only one there is unless given.").optional(),
    user: text("The user it is for.").example("bo").option("id", "u").optional(),
    url,
  },
  answer: object({
    agent: text("Left out, like `user`, where it signs the operator in.").optional(),
    user: text().optional(),
    url: text().example("https://charter.example.org/chat#charter_…"),
    expiresAt: time(),
  }).named("SignInLink", "Signs one person in: once, within ten minutes."),
  statuses: { 201: "The link; it is shown only once." },
  run: async (context, { agent, user, url }) => {
    const { store } = context;
    const isStudio = agent === undefined && user === undefined;
    const owner = isStudio ? undefined : await ownScopeFor(context, agent ?? (await onlyAgent(store)), user);
    return { ...owner, ...(await newSignInLink(store, await addressIn(context, url), owner)) };
  },
  lines: ({ agent, user, url }) => {
    const as = user === undefined ? "the operator" : `“${user}”, with the agent “${agent}”`;
    return { out: [url], err: [`It signs one person in as ${as}, once, within ten minutes.`] };
  },
});

export const operations = [listTokens, createToken, revokeToken, signIn];
