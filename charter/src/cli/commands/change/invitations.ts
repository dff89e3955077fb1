import { Problem } from "../../../prompt/problem.ts";
import type { Invitation } from "../../../store/index.ts";
import { columns, oneLine, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { noMoreWords } from "../../shared/options.ts";
import { morePages, pageValues, readPage } from "../../shared/page.ts";
import { type StoreValues, withStore } from "../../shared/store.ts";

type Values = StoreValues & {
  readonly json?: boolean | undefined;
  readonly agent?: string | undefined;
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
};

const withAgent = (agent: string | undefined) => (agent === undefined ? {} : { agent });

/** Lists invitations, or takes open ones back: by id, or all of a user. */
export async function invitations(words: readonly string[], values: Values): Promise<number> {
  const [verb = "list", which, ...others] = words;
  if (verb === "revoke") {
    noMoreWords("users", others);
    return revoke(which, values);
  }
  noMoreWords("users", words.slice(1));
  if (verb !== "list")
    throw new Problem("usage", `charter users invitations does not understand “${verb}”.`, "Say list or revoke.");
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const list = (one: typeof page) => store.invitations.list({ ...one, ...withAgent(values.agent) });
    const { rows, more } = await readPage(list, page);
    if (values.json) process.stdout.write(`${JSON.stringify({ invitations: rows, more })}\n`);
    else if (rows.length === 0)
      process.stdout.write(hintsHere("Nobody was invited here. Invite someone: charter users invite bo\n"));
    else {
      const cells = rows.map((one) => [one.id, one.user, one.agent, stateOf(one)]);
      const lines = columns(["id", "user", "agent", "state"], cells, process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

function stateOf({ state, usedAt, revokedAt, expiresAt }: Invitation): string {
  if (state === "open") return `open until ${timeText(expiresAt)}`;
  return `${state} ${timeText(usedAt ?? revokedAt ?? expiresAt)}`;
}

async function revoke(which: string | undefined, values: Values): Promise<number> {
  if (which === undefined)
    throw new Problem(
      "usage",
      "charter users invitations revoke needs an id or a user.",
      "List them with charter users invitations.",
    );
  return withStore(values, async (store) => {
    const all = await store.invitations.list({ user: which, limit: 1 });
    const whose = all.length > 0 ? { user: which, ...withAgent(values.agent) } : { id: which };
    const gone = await store.invitations.revoke(whose);
    const told = gone.map(({ user, agent }) => `The invitation of “${user}” to “${agent}” is revoked.\n`).join("");
    process.stdout.write(values.json ? `${JSON.stringify({ invitations: gone })}\n` : told);
    return 0;
  });
}

/** Who of an issuer is which user. */
export async function identities(words: readonly string[], values: Values): Promise<number> {
  noMoreWords("users", words);
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const { rows, more } = await readPage(store.identities.list, page);
    if (values.json) process.stdout.write(`${JSON.stringify({ identities: rows, more })}\n`);
    else if (rows.length === 0)
      process.stdout.write("Nobody is bound to an issuer here. Who signs in from an invitation is.\n");
    else {
      const cells = rows.map(({ user, agent, subject, issuer }) => [user, agent, subject, issuer]);
      const lines = columns(["user", "agent", "subject", "issuer"], cells, process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

/** A user is nobody's of the issuer any more, and is signed out. */
export async function unbind(user: string | undefined, values: Values): Promise<number> {
  if (user === undefined)
    throw new Problem("usage", "charter users unbind needs a user.", "See who is bound: charter users identities");
  return withStore(values, async (store) => {
    const gone = await store.identities.remove({ user, ...withAgent(values.agent) });
    for (const { agent } of gone) await store.tokens.endChats({ agent, user });
    const told = gone
      .map(({ agent, subject }) => `“${oneLine(subject)}” is not “${user}” with “${agent}” any more.\n`)
      .join("");
    process.stdout.write(values.json ? `${JSON.stringify({ identities: gone })}\n` : told);
    return 0;
  });
}
