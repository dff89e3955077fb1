import { bytes, count, digest, name } from "../home/column.ts";
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
