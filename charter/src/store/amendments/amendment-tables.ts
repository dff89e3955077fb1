import { bytes, code, count, data, digest, id, json, name, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

const ownOrCommon = "owner in ('', {user})";

/** A text once by its digest, for each owner ('' is the agents' common texts); `base`: the one it is packed against. */
export const texts = table(
  "texts",
  {
    of: "store",
    key: ["owner", "digest"],
    isByKey: true,
    owner: { user: "owner" },
    // A user's step may bring common texts along; it takes none away.
    fence: { see: ownOrCommon, add: ownOrCommon, remove: "owner = {user}" },
    proof: "hashChain",
    // What nothing names any more is swept.
    erase: { blank: "keep" },
    isLeftOut: true,
    exported: false,
  },
  { owner: name(), digest: digest(), base: digest().nullable(), depth: count(), packed: count(), body: bytes() },
);

export const standings = table(
  "standings",
  {
    of: "user",
    key: ["agent", "user_id", "section"],
    isByKey: true,
    proof: "hashChain",
    // The row stays and says where the chain ends; the words that stood beside it do not.
    erase: { blank: { unless: "words = ''" } },
    exported: false,
  },
  { section: name(), revision: count(), digest: digest(), words: text() },
);

export const amendments = table(
  "amendments",
  {
    of: "user",
    key: ["agent", "user_id", "section", "revision"],
    isByKey: true,
    unique: { amendments_key: "(agent, user_id, key) where key is not null" },
    indexes: { amendments_turn: "(agent, user_id, turn) where turn is not null" },
    proof: "hashChain",
    // When it was erased stands where the reason stood as well, so that it shows when someone changes the one.
    erase: { blank: { set: { erased_at: "{at}", reason: "{at}" }, unless: "erased_at is not null" } },
    exported: false,
  },
  {
    section: name(),
    revision: count(),
    operation: code(),
    actor: data(),
    turn: id().nullable().refers("turns", "amendments were made in it", { anyName: true }),
    at: time(),
    reason: text().nullable(),
    reasonDigest: digest().nullable(),
    beforeDigest: digest(),
    afterDigest: digest(),
    previous: digest(),
    digest: digest(),
    key: id().nullable(),
    erasedAt: time().nullable(),
  },
);

export const held = table(
  "held",
  {
    of: "user",
    key: ["id"],
    unique: { held_key: "(agent, user_id, key) where key is not null" },
    indexes: { held_scope: "(agent, user_id, status)", held_waiting: "(agent) where status = 'waiting'" },
  },
  {
    id: id(),
    section: name(),
    proposal: json(),
    refusals: json(),
    beforeWords: text(),
    afterWords: text(),
    at: time(),
    key: id().nullable(),
    status: code(),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    because: text().nullable(),
    revision: count().nullable(),
  },
);
