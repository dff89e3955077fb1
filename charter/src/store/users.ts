import { Problem } from "../prompt/problem.ts";
import type { Home } from "./home/database.ts";
import { type Page, pageOf } from "./home/page.ts";
import { sql } from "./home/sql.ts";
import { checkName } from "./scope.ts";

/** Someone an agent works for. The time zone is the user's own; none is the operator's default. */
export type User = { readonly id: string; readonly zone: string | null; readonly createdAt: string };

export type Users = {
  readonly put: (user: { readonly id: string; readonly zone?: string | null }) => Promise<User>;
  readonly find: (id: string) => Promise<User | undefined>;
  readonly list: (page?: Page) => Promise<User[]>;
};

type UserRow = { id: string; zone: string | null; created_at: string };
const userOf = ({ id, zone, created_at }: UserRow): User => ({ id, zone, createdAt: created_at });

export function createUsers(home: Home, now: () => string): Users {
  return {
    put: ({ id, zone = null }) =>
      home.write("everything", async (db) => {
        checkName("user", id);
        if (zone !== null && !isZone(zone))
          throw new Problem("bad-zone", `“${zone}” is no time zone.`, "Give one like Europe/Berlin or UTC.");
        await db.run(sql`insert into users (id, zone, created_at) values (${id}, ${zone}, ${now()})
          on conflict (id) do update set zone = excluded.zone`);
        return userOf((await db.one<UserRow>(sql`select * from users where id = ${id}`)) as UserRow);
      }),
    find: (id) =>
      home.read("everything", async (db) => {
        const row = await db.one<UserRow>(sql`select * from users where id = ${id}`);
        return row && userOf(row);
      }),
    list: (page = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<UserRow>(sql`select * from users order by id limit ${limit} offset ${offset}`);
        return rows.map(userOf);
      }),
  };
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
