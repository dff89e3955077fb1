import { Problem } from "../../prompt/problem.ts";
import type { Home } from "../../store/home/database.ts";
import type { Store } from "../../store/store.ts";
import { createHere, type Here } from "./trust/here.ts";

const { existsSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

export type StoreValues = {
  readonly database?: string | undefined;
  /** What the command was told of its directory; nothing yet, unless given. A .env may say where the database is. */
  readonly here?: Here;
};

export const defaultDatabase = ".charter/charter.db";

/** The database a command works on: --database, else CHARTER_DATABASE, else .charter/charter.db. */
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

/** Where the environment says it is, or a .env: a trusted one here, or the one beside the settings that were named. */
export async function databaseSet(here: Here): Promise<string | undefined> {
  return process.env.CHARTER_DATABASE || (await here.environment()).CHARTER_DATABASE;
}

/** Opens the store for one command and closes it after. Only a command that adds something makes a new database. */
export async function withStore<Result>(
  values: StoreValues,
  work: (store: Store, here: Here) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  const { createStore } = await import("../../store/store.ts");
  return withHome(values, async (home, here) => work(await createStore(home), here), { create });
}

/** The same for a command that asks one thing: the store's parts are loaded by those who need them. */
export async function withHome<Result>(
  values: StoreValues,
  work: (home: Home, here: Here) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  const { here = createHere() } = values;
  const home = await homeOf({ ...values, here }, create);
  try {
    if (!create && (await home.version()) === undefined)
      throw new Problem(
        "no-database",
        `There is no Charter in ${home.place} yet.`,
        "Make one with `charter migrate` or `charter agents add`, or name another with --database.",
      );
    const { checkVersion } = await import("../../store/schema.ts");
    if (create && home.place === defaultDatabase) await keepFromGit(home.place, () => checkVersion(home));
    else await checkVersion(home);
    return await work(home, here);
  } finally {
    await home.close();
  }
}

/**
 * What was said to an agent is not for the repository of the project it lies in: the first time a database is made in
 * `.charter`, git is told to pass it over. A `.gitignore` that is there already is its owner's.
 */
export async function keepFromGit<Result>(database: string, make: () => Promise<Result>): Promise<Result> {
  const isNew = !existsSync(database);
  const made = await make();
  if (isNew && existsSync(database)) {
    try {
      writeFileSync(join(dirname(database), ".gitignore"), "/charter.db*\n/demo.*\n/*.key\n/.gitignore\n", {
        flag: "wx",
      });
    } catch {
      // There is one, or none can be written: the database is made all the same.
    }
  }
  return made;
}

/** Who sits at the terminal, as far as the machine knows: its user's name where that can be one here, else “you”. */
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
