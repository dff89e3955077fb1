import { listed, Problem } from "../../../prompt/problem.ts";
import type { Token } from "../../../store/accounts/token-row.ts";
import type { Store } from "../../../store/store.ts";
import { columns, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { onlyAgent } from "../../shared/accounts/only-agent.ts";
import { addressHere } from "../../shared/config-keys.ts";
import { noMoreWords, parseOptions, wholeNumber } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  operator: { type: "boolean" },
  kind: { type: "string" },
  user: { type: "string", short: "u" },
  agent: { type: "string", short: "a" },
  name: { type: "string" },
  days: { type: "string" },
  url: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("tokens", args, options);
  const [verb = "list", id, ...others] = positionals;
  if (verb === "revoke") {
    noMoreWords("tokens", others);
    return revoke(id, values);
  }
  noMoreWords("tokens", positionals.slice(1));
  if (verb === "list") return list(values);
  if (verb === "create") return create(values);
  if (verb === "sign-in") return signIn(values);
  throw new Problem(
    "usage",
    `charter tokens does not understand “${verb}”.`,
    "Say list, create, revoke or sign-in; see charter tokens --help.",
  );
}

async function list(values: Values): Promise<number> {
  return withStore(values, async (store) => {
    const tokens = await store.tokens.list();
    if (values.json) process.stdout.write(`${JSON.stringify({ tokens })}\n`);
    else if (tokens.length === 0)
      process.stdout.write(hintsHere("There is no token here. Make one: charter tokens create --operator\n"));
    else {
      const cells = tokens.map((token) => [
        token.id,
        token.kind,
        token.user ?? "–",
        token.agent ?? "–",
        token.name,
        stateOf(token, new Date()),
      ]);
      const lines = columns(["id", "kind", "user", "agent", "name", "state"], cells, process.stdout);
      process.stdout.write(`${lines.join("\n")}\n`);
    }
    return 0;
  });
}

function stateOf({ revokedAt, expiresAt, lastUsedAt }: Token, now: Date): string {
  if (revokedAt !== null) return `revoked ${timeText(revokedAt)}`;
  if (expiresAt !== null && expiresAt <= now.toISOString()) return `expired ${timeText(expiresAt)}`;
  const used = lastUsedAt === null ? "not used yet" : `last used ${timeText(lastUsedAt)}`;
  return expiresAt === null ? used : `${used}, until ${timeText(expiresAt)}`;
}

/** Its words are printed once, alone on standard output: what is kept is a digest. */
async function create(values: Values): Promise<number> {
  const kind = kindOf(values);
  const days = wholeNumber("days", values.days);
  return withStore(
    values,
    async (store) => {
      if (values.agent !== undefined) await store.agents.get(values.agent);
      const expiresAt = days === undefined ? {} : { expiresAt: daysFromNow(days) };
      const whose = {
        ...(values.user === undefined ? {} : { user: values.user }),
        ...(values.agent === undefined ? {} : { agent: values.agent }),
      };
      const token = await store.tokens.create({ name: values.name ?? kind, kind, ...whose, ...expiresAt });
      if (values.json) process.stdout.write(`${JSON.stringify(token)}\n`);
      else {
        process.stdout.write(`${token.secret}\n`);
        process.stderr.write(
          hintsHere(
            `This is the one time it is shown. It is sent as: Authorization: Bearer …; charter tokens revoke ${token.id} ends it.\n`,
          ),
        );
      }
      return 0;
    },
    { create: true },
  );
}

const kinds = ["operator", "user", "agent", "inbox"] as const;
type Kind = (typeof kinds)[number];

/** As was said; else what the names that were given can only mean. */
function kindOf({ kind, operator, user, agent }: Values): Kind {
  const said = operator ? "operator" : kind;
  const known = kinds.find((one) => one === said);
  if (said !== undefined && !known)
    throw new Problem("usage", `“${said}” is no kind of token.`, `The kinds are ${listed(kinds)}.`);
  if (known === "operator" && (user !== undefined || agent !== undefined))
    throw new Problem(
      "usage",
      "An operator's token is not limited to a user or an agent.",
      "Leave --user and --agent out.",
    );
  if (known) return known;
  if (user !== undefined) return "user";
  if (agent !== undefined) return "agent";
  throw new Problem(
    "usage",
    "charter tokens create needs to know who the token is for.",
    "Say --operator, --user bo, --user bo --agent ada (one agent only), --agent ada (the agent's own tools), or --kind inbox --agent ada --name shop (for whoever writes to her).",
  );
}

function daysFromNow(days: number): string {
  if (days > 0 && days <= 36_500) return new Date(Date.now() + days * 86_400_000).toISOString();
  throw new Problem("usage", `A token cannot last ${days} days.`, "Give 1 to 36500, or leave it out: until revoked.");
}

async function revoke(id: string | undefined, values: Values): Promise<number> {
  if (id === undefined)
    throw new Problem("usage", "charter tokens revoke needs the id of a token.", "List them with charter tokens.");
  return withStore(values, async (store) => {
    await store.tokens.revoke(id);
    process.stdout.write(values.json ? `${JSON.stringify({ revoked: id })}\n` : `“${id}” is revoked.\n`);
    return 0;
  });
}

/** A new link for someone who is to sign in at a running server: the operator, or a user at the page for users. */
async function signIn(values: Values): Promise<number> {
  return withStore(values, async (store: Store) => {
    const { signInLink } = await import("../../../server/auth/sign-in-link.ts");
    const base = (values.url ?? (await addressHere())).replace(/\/+$/, "");
    const whose = await userOf(store, values);
    const link = await signInLink(store, base, whose);
    process.stdout.write(values.json ? `${JSON.stringify({ link })}\n` : `${link}\n`);
    const as = whose === undefined ? "the operator" : `“${whose.user}”, with the agent “${whose.agent}”`;
    if (!values.json) process.stderr.write(`It signs one person in as ${as}, once, within ten minutes.\n`);
    return 0;
  });
}

/** Whom a link is for, where it is for a user; with the only agent there is, unless one is named. */
async function userOf(store: Store, { user, agent }: Values): Promise<{ user: string; agent: string } | undefined> {
  if (user === undefined && agent === undefined) return undefined;
  if (user === undefined)
    throw new Problem("usage", "A link to the page for users needs the user it is for.", "Say --user bo as well.");
  return { user, agent: await onlyAgent(store, agent) };
}
