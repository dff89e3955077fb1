import { Problem } from "../../prompt/problem.ts";
import type { Home } from "../../store/home/database.ts";
import type { Store } from "../../store/store.ts";
import { createHere, type Here } from "./trust/here.ts";

const { existsSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

export type StoreValues = {
  readonly database?: string | undefined;
  /** Directory of the command, whose .env may say where the database is; by default a new one. */
  readonly here?: Here;
};

export const defaultDatabase = ".charter/charter.db";

/** Database of a command: --database, else CHARTER_DATABASE, else .charter/charter.db. */
export async function homeOf({ database, here = createHere() }: StoreValues, create = false): Promise<Home> {
  const place = database ?? ((await databaseSet(here)) || defaultDatabase);
  if (/^postgres(?:ql)?:/.test(place)) return (await import("../../store/home/postgres/postgres.ts")).postgres(place);
  if (/^\w+:\/\//.test(place))
    throw new Problem(
      "bad-database",
      `Charter does not support ${place.split(":")[0]} databases.`,
      "Give a file, or postgres://user:password@host:5432/database.",
    );
  return (await import("../../store/home/sqlite/sqlite.ts")).sqlite(place, { create });
}

/** Database set by the environment or by a .env: a trusted one here, or the one beside the named settings. */
export async function databaseSet(here: Here): Promise<string | undefined> {
  return process.env.CHARTER_DATABASE || (await here.environment()).CHARTER_DATABASE;
}

/** Opens the store for one command and closes it afterwards. Only a command that adds something creates a new database. */
export async function withStore<Result>(
  values: StoreValues,
  work: (store: Store, here: Here) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  const { createStore } = await import("../../store/store.ts");
  return withHome(values, async (home, here) => work(await createStore(home), here), { create });
}

/** Opens the database alone, for a command that asks one thing and loads what it needs of the store itself. */
export async function withHome<Result>(
  values: StoreValues,
  work: (home: Home, here: Here) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  const { here = createHere() } = values;
  const home = await homeOf({ ...values, here }, create);
  try {
    const { checkVersion } = await import("../../store/schema.ts");
    if (create && home.place === defaultDatabase) await keepFromGit(home.place, () => checkVersion(home));
    else await checkVersion(home, { create });
    return await work(home, here);
  } finally {
    await home.close();
  }
}

/**
 * Keeps a new database in `.charter` out of git by a `.gitignore`, because conversations do not belong in the project's
 * repository. An existing `.gitignore` is left alone.
 */
export async function keepFromGit<Result>(database: string, make: () => Promise<Result>): Promise<Result> {
  const isNew = !existsSync(database);
  const result = await make();
  if (isNew && existsSync(database)) {
    try {
      writeFileSync(join(dirname(database), ".gitignore"), "/charter.db*\n/demo.*\n/*.key\n/.gitignore\n", {
        flag: "wx",
      });
    } catch {
      // The file exists, or cannot be written: the database is created all the same.
    }
  }
  return result;
}

/** User id of the person at the terminal: the machine's user name if it is valid as one, else “you”. */
export function userAtTerminal(): string {
  const name = systemName().replace(/[^\p{L}\p{N}._-]+/gu, "-");
  const trimmed = name.replace(/^-+|-+$/g, "").slice(0, 100);
  return trimmed === "" ? "you" : trimmed;
}

function systemName(): string {
  try {
    return process.getBuiltinModule("node:os").userInfo().username;
  } catch {
    // A container may run as a user the system has no name for.
    return process.env.USER ?? "";
  }
}
