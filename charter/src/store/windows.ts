import { Problem } from "../prompt/problem.ts";
import type { AttachmentKind } from "../prompt/step-result.ts";
import type { StoreDeps } from "./deps.ts";
import { findRecord, insertInto, matching, putInto } from "./home/query.ts";
import { raw, sql } from "./home/sql.ts";
import { code, count, name, oneOf, type RecordOf, table, time } from "./home/table.ts";
import { checkName } from "./scope.ts";

const learned = { none: "what was learned about models, and what a chain can be asked again" };

/** How many tokens a model takes where it is served, and how that is known. Nobody's words, and of no agent. */
export const windows = table(
  "windows",
  { of: "store", key: ["model", "address"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), tokens: count(), how: oneOf("asked", "said", "guessed"), at: time() },
);

/** Which kinds a model refused where it is served. Nobody's words, and of no agent. */
export const refusedKinds = table(
  "refused_kinds",
  { of: "store", key: ["model", "address", "kind"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), kind: code(), at: time() },
);

/**
 * How a window is known: the server was "asked", a fault "said" it, or it is "guessed" from a fault that named no number.
 */
export type WindowSource = LearnedWindow["how"];

/** A model, and where it is served: the same name may take more or fewer tokens elsewhere. */
export type ServedModel = { readonly model: string; readonly address: string };

/** The most tokens a request to a model may have, as far as it was learned, and since when. */
export type LearnedWindow = RecordOf<typeof windows>;

/**
 * `store.windows`: what was learned of how many tokens models take. It is nobody's: all agents and users share it.
 *
 * @opaque
 */
export type Windows = {
  readonly get: (served: ServedModel) => Promise<LearnedWindow | undefined>;
  /**
   * Keeps a window, and returns the one that holds. What a fault said always holds. A guess only lowers what is known.
   * What the server told holds until a fault teaches less.
   */
  readonly learn: (learned: Omit<LearnedWindow, "at">) => Promise<LearnedWindow>;
  /** A request of so many tokens was answered: a guess that is less is raised to it. */
  readonly raise: (served: ServedModel, tokens: number) => Promise<void>;
};

/**
 * No scope reaches these rows: they are read and written beside a turn, in the operator's reach, and hold no words. They
 * are not in a checkpoint, since the same address is another server on another machine.
 */
export function createWindows({ home, now }: StoreDeps): Windows {
  return {
    get: async (served) => {
      checkServed(served);
      return home.read("everything", (db) => findRecord(db, windows, windowOf(served)));
    },
    learn: async ({ model, address, tokens, how }) => {
      checkServed({ model, address });
      checkTokens(tokens);
      return home.write("everything", async (db) => {
        await db.run(sql`${putInto(windows, { model, address, tokens, how, at: now() })} where ${replaces}`);
        return (await findRecord(db, windows, windowOf({ model, address }))) as LearnedWindow;
      });
    },
    raise: async ({ model, address }, tokens) => {
      checkServed({ model, address });
      checkTokens(tokens);
      await home.write("everything", (db) =>
        db.run(sql`update windows set tokens = ${tokens}, at = ${now()}
          where ${matching({ model, address, how: "guessed" })} and tokens < ${tokens}`),
      );
    },
  };
}

const replaces = raw(`excluded.how = 'said' or (excluded.how = 'asked' and windows.how = 'asked')
  or excluded.tokens < windows.tokens`);

function windowOf({ model, address }: ServedModel) {
  return sql`select * from windows where ${matching({ model, address })}`;
}

/**
 * `store.refusedKinds`: which attachments models refused. It is nobody's: all agents and users share it.
 *
 * @opaque
 */
export type RefusedKinds = {
  readonly of: (served: ServedModel) => Promise<readonly AttachmentKind[]>;
  readonly learn: (served: ServedModel, kind: AttachmentKind) => Promise<void>;
};

/** As with windows: no scope reaches these rows, and they are not in a checkpoint. */
export function createRefusedKinds({ home, now }: StoreDeps): RefusedKinds {
  return {
    of: async (served) => {
      checkServed(served);
      const { model, address } = served;
      const rows = await home.read("everything", (db) =>
        db.all<{ kind: AttachmentKind }>(
          sql`select kind from refused_kinds where ${matching({ model, address })} order by kind`,
        ),
      );
      return rows.map(({ kind }) => kind);
    },
    learn: async ({ model, address }, kind) => {
      checkServed({ model, address });
      await home.write("everything", (db) =>
        db.run(sql`${insertInto(refusedKinds, { model, address, kind, at: now() })} on conflict do nothing`),
      );
    },
  };
}

function checkServed({ model, address }: ServedModel): void {
  checkName("model", model);
  if (typeof address === "string" && address.length <= 2000) return;
  throw new Problem("bad-window", `Where “${model}” is served is no address.`, "Give the address of its server.");
}

function checkTokens(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens > 0) return;
  throw new Problem("bad-window", `${String(tokens)} is no window.`, "Give a whole number of tokens.");
}
