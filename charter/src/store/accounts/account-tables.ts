import { code, count, digest, id, name, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

const self = "id = {user}";

export const users = table(
  "users",
  {
    of: "store",
    key: ["id"],
    owner: { user: "id" },
    isMarked: true,
    fence: { see: self, add: self, change: self, remove: self },
    // Known with other agents too: whoever erases looks whether it is.
    erase: { blank: "keep" },
    exported: false,
  },
  { id: name(), zone: name().nullable(), createdAt: time() },
);

/**
 * What a token allows: everything, one user's part, one agent's tools, writing to one agent's inbox; the session of a
 * user at the page for users, with one agent (`chat`); or signing in, once: the operator to the studio, or, where it
 * names both, a user to their page.
 */
export type TokenKind = (typeof tokenKinds)[number];

export const tokenKinds = ["operator", "user", "agent", "inbox", "chat", "sign-in"] as const;

export const tokens = table(
  "tokens",
  { of: "store", key: ["id"], owner: { agent: "agent", user: "user_id" } },
  {
    id: id(),
    digest: digest().unique().inner().hidden(),
    name: text(),
    kind: code<TokenKind>(),
    agent: name().nullable(),
    user: name().nullable(),
    createdAt: time(),
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable().passing("exported"),
    revokedAt: time().nullable(),
  },
);

/** Which user a person of an issuer is with an agent. */
export const identities = table(
  "identities",
  {
    of: "user",
    key: ["agent", "issuer", "subject"],
    isByKey: true,
    indexes: { identities_person: "(issuer, subject)", identities_user: "(user_id, agent)" },
  },
  { issuer: name(), subject: text(), at: time() },
);

/** How many rows of a table are whose, and the sum of their digests: what is in no hash chain is proven by these. */
export const seals = table(
  "seals",
  {
    of: "store",
    key: ["agent", "user_id", "what"],
    isByKey: true,
    owner: { agent: "agent", user: "user_id" },
    proof: "seals",
    // They follow the rows.
    erase: { blank: "keep" },
    isLeftOut: true,
    exported: false,
    besides: { postgres: ["alter table seals alter column digest type numeric using cast(digest as numeric)"] },
  },
  { agent: name(), user: name(), what: name(), count: count(), digest: digest() },
);
