import { count, data, digest, id, name, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

const self = "id = {user}";

export const users = table(
  "users",
  {
    of: "store",
    key: ["id"],
    owner: { user: "id" },
    fence: { see: self, add: self, change: self, remove: self },
    // Known with other agents too: whoever erases looks whether it is.
    erase: { blank: "keep" },
    exported: false,
  },
  { id: name(), zone: name().nullable(), createdAt: time() },
);

export const tokens = table(
  "tokens",
  { of: "store", key: ["id"], owner: { agent: "agent", user: "user_id" } },
  {
    id: id(),
    digest: digest().unique().inner(),
    name: text(),
    agent: name().nullable(),
    userId: name().nullable(),
    rights: data(),
    createdAt: time(),
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable().passing(),
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
    proof: "cache",
    // They follow the rows.
    erase: { blank: "keep" },
    isLeftOut: true,
    exported: false,
    besides: { postgres: ["alter table seals alter column digest type numeric using cast(digest as numeric)"] },
  },
  { agent: name(), userId: name(), what: name(), count: count(), digest: digest() },
);
