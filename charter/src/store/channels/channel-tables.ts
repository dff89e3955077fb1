import { count, digest, id, json, name, oneOf, text, time } from "../home/column.ts";
import { table } from "../home/table.ts";

/** Which user a chat is. */
export const links = table(
  "links",
  { of: "user", key: ["agent", "channel", "address"], isByKey: true, indexes: { links_user: "(agent, user_id)" } },
  {
    channel: name(),
    /** The channel's own id of the chat. */
    address: text(),
    at: time(),
  },
);

/** Codes to link a chat. Checkpoints leave them out: a copy would let one in a second time. */
export const linkCodes = table(
  "link_codes",
  {
    of: "user",
    key: ["digest"],
    keep: { when: "expires_at < {until}", size: "digest" },
    isLeftOut: true,
  },
  { digest: digest().inner(), channel: name(), at: time(), expiresAt: time(), usedAt: time().nullable() },
);

/** What came over a channel, once each by its id there. */
export const updates = table(
  "updates",
  {
    of: "user",
    key: ["agent", "channel", "id"],
    indexes: {
      updates_open: "(agent, channel, state, at) where state in ('waiting', 'taken')",
      updates_address: "(agent, channel, address, at) where state in ('waiting', 'taken')",
    },
    // So many days a channel may tell of the same update again: so long it is known.
    keep: { when: "state in ('done', 'dead') and at < {until}", days: 2, size: "body" },
  },
  {
    channel: name(),
    /** The channel's own id for it: what arrives twice is stored once. */
    id: id(),
    address: text(),
    /** In the channel's own format; it is deleted when it is done. */
    body: text(),
    at: time(),
    state: oneOf("waiting", "taken", "done", "dead"),
    tries: count(),
    leasedUntil: time().nullable().passing().hidden(),
    turn: id().nullable(),
    failure: text().nullable(),
  },
);

/** What is to be sent over a channel, each piece once. */
export const dispatches = table(
  "dispatches",
  {
    of: "user",
    key: ["id"],
    indexes: {
      dispatches_open: "(agent, channel, at) where state = 'waiting'",
      dispatches_address: "(agent, channel, address, at) where state = 'waiting'",
      dispatches_scope: "(agent, user_id, at)",
    },
    keep: { when: "state in ('sent', 'dead') and at < {until}", size: "body" },
  },
  {
    id: id(),
    channel: name(),
    address: text(),
    body: text(),
    /** What the channel needs besides the text, such as buttons. */
    extra: json().optional(),
    at: time(),
    turn: id().optional(),
    state: oneOf("waiting", "sent", "dead"),
    tries: count(),
    nextTryAt: time().nullable(),
    leasedUntil: time().nullable().passing().hidden(),
    failure: text().nullable(),
    sentAt: time().nullable(),
  },
);
