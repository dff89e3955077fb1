import type { Operation } from "../../amend/operation.ts";
import type { Proposal } from "../../amend/proposal.ts";
import type { Refusal } from "../../amend/refusal.ts";
import type { Actor } from "../../prompt/mutability.ts";
import { code, count, digest, id, json, name, oneOf, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

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
    operation: code<Operation["kind"]>(),
    actor: code<Actor>(),
    turn: id().nullable().refers("turns", "amendments were made in it", { anyName: true }),
    at: time(),
    reason: text().nullable(),
    reasonDigest: digest().nullable().hidden(),
    beforeDigest: digest().hidden(),
    afterDigest: digest().hidden(),
    previous: digest(),
    digest: digest(),
    key: id().optional(),
    erasedAt: time().nullable(),
  },
);

/** Text that a person put in place of the proposed one before approving it. */
export type EditedText = { readonly by: string; readonly actor: "operator" | "user"; readonly content: string };

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
    proposal: json<Proposal>(),
    refusals: json<readonly Refusal[]>(),
    before: text(),
    after: text(),
    at: time(),
    key: id().nullable().hidden(),
    status: oneOf("waiting", "approved", "rejected"),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decisionReason: text().nullable(),
    /** The revision it became, if it was approved. */
    revision: count().nullable(),
    /** What was approved in place of the proposed text, and by whom it was edited. */
    edited: json<EditedText>().nullable(),
  },
);
