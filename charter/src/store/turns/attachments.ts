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

/** Bytes of what came with turns, once for each scope; of those that retention deleted, only that they were there. */
export const attachments = table(
  "attachments",
  { of: "user", key: ["agent", "user_id", "digest"] },
  {
    digest: digest(),
    /** Media type as the caller gave it: of a text it can be anything. */
    mediaType: text(),
    size: count(),
    /** The seal leaves the bytes out, because their digest proves them. */
    body: bytes().unsealed(),
    at: time(),
    erasedAt: time().nullable(),
  },
);

/** A picture or a file with its bytes, on its way into the store. */
export type NewAttachment = Attachment & { readonly data: Uint8Array };

/** Bytes of an attachment, proved by its digest, and their media type. */
export type KeptAttachment = { readonly digest: string; readonly mediaType: string; readonly data: Uint8Array };

/** `store.attachments`: the bytes of what came with inputs, once for each agent and user. */
export type Attachments = {
  /** Returns an attachment of exactly this scope; throws a Problem if there is none, or its bytes were deleted. */
  readonly get: (scope: Scope, digest: string) => Promise<KeptAttachment>;
  /** Returns several, by their digests; those that are not there any more are missing. */
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

/** Stores what comes with a turn, in the transaction that opens it; bytes that are there already are not stored again. */
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

/** Parses the attachments in a turn's row. */
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
