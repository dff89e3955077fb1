import { Problem } from "../../prompt/problem.ts";
import { existsSync } from "../../sources/input-file.ts";
import type { Home } from "../../store/home/database.ts";
import type { Store } from "../../store/store.ts";

/** What every command on a database understands. */
export const storeOptions = {
  database: { type: "string", short: "d" },
  json: { type: "boolean" },
} as const;

export type StoreValues = {
  readonly database?: string | undefined;
  /** A settings file that was named: the .env beside it may say where the database is. */
  readonly settings?: string | undefined;
};

export const defaultDatabase = ".charter/charter.db";

/** The database a command works on: --database, else CHARTER_DATABASE, else .charter/charter.db. */
export async function homeOf({ database, settings }: StoreValues, create = false): Promise<Home> {
  const place = database ?? ((await databaseSet(settings)) || defaultDatabase);
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
export async function databaseSet(settings?: string): Promise<string | undefined> {
  if (process.env.CHARTER_DATABASE) return process.env.CHARTER_DATABASE;
  if (settings === undefined && !existsSync(".env")) return undefined;
  return (await (await import("./trust/directory-settings.ts")).environmentHere()).CHARTER_DATABASE;
}

/** Opens the store for one command and closes it after. Only a command that adds something makes a new database. */
export async function withStore<Result>(
  values: StoreValues,
  work: (store: Store) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  return withHome(values, async (home) => work(await (await import("../../store/store.ts")).createStore(home)), {
    create,
  });
}

/** The same for a command that asks one thing: the store's parts are loaded by those who need them. */
export async function withHome<Result>(
  values: StoreValues,
  work: (home: Home) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  const home = await homeOf(values, create);
  try {
    if (!create && (await home.version()) === undefined)
      throw new Problem(
        "no-database",
        `There is no Charter in ${home.place} yet.`,
        "Make one with `charter migrate` or `charter agents add`, or name another with --database.",
      );
    const { checkVersion } = await import("../../store/home/version.ts");
    if (create && home.place === defaultDatabase)
      await (await import("./keep-from-git.ts")).keepFromGit(home.place, () => checkVersion(home));
    else await checkVersion(home);
    return await work(home);
  } finally {
    await home.close();
  }
}
