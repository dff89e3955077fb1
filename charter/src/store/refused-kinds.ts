import type { AttachmentKind } from "../prompt/attachment.ts";
import type { StoreDeps } from "./deps.ts";
import { sql } from "./home/sql.ts";
import { checkServed, type ServedModel } from "./windows.ts";

/** `store.refusedKinds`: which attachments models refused. It is nobody's: all agents and users share it. */
export type RefusedKinds = {
  readonly of: (served: ServedModel) => Promise<readonly AttachmentKind[]>;
  readonly learn: (served: ServedModel, kind: AttachmentKind) => Promise<void>;
  /** It takes them now, or may be tried again. */
  readonly forget: (served: ServedModel) => Promise<void>;
};

/** As with windows: no scope reaches these rows, and they are not in a checkpoint. */
export function createRefusedKinds({ home, now }: StoreDeps): RefusedKinds {
  return {
    of: async (served) => {
      checkServed(served);
      const { model, address } = served;
      const rows = await home.read("everything", (db) =>
        db.all<{ kind: AttachmentKind }>(
          sql`select kind from refused_kinds where model = ${model} and address = ${address} order by kind`,
        ),
      );
      return rows.map(({ kind }) => kind);
    },
    learn: async (served, kind) => {
      checkServed(served);
      await home.write("everything", (db) =>
        db.run(sql`insert into refused_kinds (model, address, kind, at)
          values (${served.model}, ${served.address}, ${kind}, ${now()}) on conflict do nothing`),
      );
    },
    forget: async (served) => {
      checkServed(served);
      await home.write("everything", (db) =>
        db.run(sql`delete from refused_kinds where model = ${served.model} and address = ${served.address}`),
      );
    },
  };
}
