import { Problem } from "../prompt/problem.ts";
import type { StoreDeps } from "./deps.ts";
import { raw, sql } from "./home/sql.ts";
import { checkName } from "./scope.ts";

/**
 * How a window is known: the server was "asked", a fault "said" it, or it is "guessed" from a fault that named no number.
 */
export type WindowSource = "asked" | "said" | "guessed";

/** A model, and where it is served: the same name may take more or fewer tokens elsewhere. */
export type ServedModel = { readonly model: string; readonly address: string };

/** The most tokens a request to a model may have, as far as it was learned, and since when. */
export type LearnedWindow = ServedModel & {
  readonly tokens: number;
  readonly how: WindowSource;
  readonly at: string;
};

/** `store.windows`: what was learned of how many tokens models take. It is nobody's: all agents and users share it. */
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
      return home.read("everything", (db) => db.one<LearnedWindow>(windowOf(served)));
    },
    learn: async ({ model, address, tokens, how }) => {
      checkServed({ model, address });
      checkTokens(tokens);
      return home.write("everything", async (db) => {
        await db.run(sql`insert into windows (model, address, tokens, how, at)
          values (${model}, ${address}, ${tokens}, ${how}, ${now()})
          on conflict (model, address) do update set tokens = excluded.tokens, how = excluded.how, at = excluded.at
          where ${replaces}`);
        return (await db.one<LearnedWindow>(windowOf({ model, address }))) as LearnedWindow;
      });
    },
    raise: async ({ model, address }, tokens) => {
      checkServed({ model, address });
      checkTokens(tokens);
      await home.write("everything", (db) =>
        db.run(sql`update windows set tokens = ${tokens}, at = ${now()}
          where model = ${model} and address = ${address} and how = 'guessed' and tokens < ${tokens}`),
      );
    },
  };
}

const replaces = raw(`excluded.how = 'said' or (excluded.how = 'asked' and windows.how = 'asked')
  or excluded.tokens < windows.tokens`);

function windowOf({ model, address }: ServedModel) {
  return sql`select model, address, tokens, how, at from windows where model = ${model} and address = ${address}`;
}

export function checkServed({ model, address }: ServedModel): void {
  checkName("model", model);
  if (typeof address === "string" && address.length <= 2000) return;
  throw new Problem("bad-window", `Where “${model}” is served is no address.`, "Give the address of its server.");
}

function checkTokens(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens > 0) return;
  throw new Problem("bad-window", `${String(tokens)} is no window.`, "Give a whole number of tokens.");
}
