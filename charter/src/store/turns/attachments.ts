import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { insertInto, ownRows } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import { bytes, count, digest, type RowOf, table, text, time } from "../home/table.ts";
import { checkScope } from "../scope.ts";
import { digestOfBytes } from "../texts/packing.ts";

/** The bytes of what came with turns, once for each scope; of those that were let go only that they were there. */
export const attachments = table(
  "attachments",
  { of: "user", key: ["agent", "user_id", "digest"] },
  {
    digest: digest(),
    /** As whoever gave it says: of texts anything. */
    mediaType: text(),
    size: count(),
    /** Its digest proves it. */
    body: bytes().unsealed(),
    at: time(),
    erasedAt: time().nullable(),
  },
);

/** A picture or a file with its bytes, on its way into the store. */
export type NewAttachment = Attachment & { readonly data: Uint8Array };

/** The bytes of an attachment, proved by its digest, and what they are. */
export type KeptAttachment = { readonly digest: string; readonly mediaType: string; readonly data: Uint8Array };

/** `store.attachments`: the bytes of what came with inputs, once for each agent and user. */
export type Attachments = {
  /** One of this very scope; a Problem where there is none, or it was let go. */
  readonly get: (scope: Scope, digest: string) => Promise<KeptAttachment>;
  /** Several, by their digests. Those that are not there any more are missing. */
  readonly getAll: (scope: Scope, digests: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
};

export function createAttachments({ home }: Pick<StoreDeps, "home">): Attachments {
  const read = (scope: Scope, digests: readonly string[]) => {
    checkScope(scope);
    return home.read(scope, (db) =>
      db.all<RowOf<typeof attachments>>(
        sql`select * from attachments where ${ownRows(scope)} and digest in ${listOf(digests)}`,
      ),
    );
  };
  return {
    get: async (scope, digest) => {
      const [row] = await read(scope, [digest]);
      if (!row) throw unknownAttachment(digest);
      if (row.erased_at !== null)
        throw new Problem(
          "erased",
          `The attachment ${digest.slice(0, 12)} was let go ${row.erased_at}.`,
          "Only its kind, size and name are known. A checkpoint may still have it.",
        );
      if (digestOfBytes(row.body) !== digest) throw changedAttachment(digest);
      return { digest, mediaType: row.media_type, data: row.body };
    },
    getAll: async (scope, digests) => {
      const rows = digests.length === 0 ? [] : await read(scope, [...new Set(digests)]);
      const whole = rows.filter(({ erased_at }) => erased_at === null);
      for (const { digest, body } of whole) if (digestOfBytes(body) !== digest) throw changedAttachment(digest);
      return new Map(whole.map(({ digest, body }) => [digest, body]));
    },
  };
}

/** Keeps what comes with a turn, in the transaction that opens it: bytes that are there already are not kept again. */
export async function putAttachments(
  db: Database,
  scope: Scope,
  given: readonly NewAttachment[],
  at: string,
): Promise<void> {
  for (const { digest, mediaType, data } of given) {
    if (digestOfBytes(data) !== digest) throw changedAttachment(digest);
    const row = insertInto(attachments, { scope, digest, mediaType, size: data.length, body: data, at });
    await db.run(sql`${row}
      on conflict (agent, user_id, digest) do update set body = excluded.body, erased_at = ${null}
        where attachments.erased_at is not null`);
  }
}

/** What a turn's row says of them. */
export function attachmentsOf(column: string | null): readonly Attachment[] {
  return column === null ? [] : JSON.parse(column);
}

function unknownAttachment(digest: string): Problem {
  return new Problem(
    "unknown-attachment",
    `There is no attachment ${JSON.stringify(digest.slice(0, 64))} here.`,
    "A turn says which it came with, by their digests.",
  );
}

function changedAttachment(digest: string): Problem {
  return new Problem(
    "attachment-changed",
    `The attachment ${digest.slice(0, 12)} is not what its digest says.`,
    "Run `charter verify` to see what was changed; a checkpoint may still have it.",
  );
}
