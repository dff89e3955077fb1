import { Problem } from "../prompt/problem.ts";
import type { AttachmentKind } from "../prompt/step-result.ts";
import type { StoreDeps } from "./deps.ts";
import { findRecord, insertInto, matching, putInto } from "./home/query.ts";
import { raw, sql } from "./home/sql.ts";
import { code, count, name, oneOf, type RecordOf, table, time } from "./home/table.ts";
import { checkName } from "./scope.ts";

const learned = { none: "what was learned about models, and what a chain can be asked again" };

/** Windows of models by the server's address, and how each is known. These rows hold no words, and belong to no agent. */
export const windows = table(
  "windows",
  { of: "store", key: ["model", "address"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), tokens: count(), how: oneOf("asked", "said", "guessed"), at: time() },
);

/** Kinds of attachment that a model refused, by the server's address. These rows hold no words, and belong to no agent. */
export const refusedKinds = table(
  "refused_kinds",
  { of: "store", key: ["model", "address", "kind"], isByKey: true, proof: learned, isLeftOut: true },
  { model: name(), address: name(), kind: code(), at: time() },
);

/** Origin of a window: the server was "asked", a fault "said" it, or it is "guessed" from a fault that named no number. */
export type WindowSource = LearnedWindow["how"];

/** A model and the address it is served at: the same name may have another window elsewhere. */
export type ServedModel = { readonly model: string; readonly address: string };

/** Maximum number of tokens in a request to a model, as learned so far, and since when. */
export type LearnedWindow = RecordOf<typeof windows>;

/**
 * `store.windows`: the context windows learned of models. They belong to nobody: all agents and users share them.
 *
 * @opaque
 */
export type Windows = {
  readonly get: (served: ServedModel) => Promise<LearnedWindow | undefined>;
  /**
   * Keeps a window, and returns the one that is now in force. A fault's number always replaces the old one, a guess only lowers
   * it, and the server's own number holds until a fault names less.
   */
  readonly learn: (learned: Omit<LearnedWindow, "at">) => Promise<LearnedWindow>;
  /** Raises a guessed window to the size of a request that was answered. */
  readonly raise: (served: ServedModel, tokens: number) => Promise<void>;
};

/**
 * Creates `store.windows`. No scope reaches these rows: they are read and written beside a turn, with the operator's reach, and
 * hold no words. A checkpoint leaves them out, since the same address is another server on another machine.
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
 * `store.refusedKinds`: the kinds of attachment that models refused. They belong to nobody: all agents and users share them.
 *
 * @opaque
 */
export type RefusedKinds = {
  readonly of: (served: ServedModel) => Promise<readonly AttachmentKind[]>;
  readonly learn: (served: ServedModel, kind: AttachmentKind) => Promise<void>;
};

/** Creates `store.refusedKinds`. Its rows, like those of windows, are outside every scope and every checkpoint. */
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
