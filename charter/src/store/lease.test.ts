import { expect, test } from "vitest";
import { newFile } from "../../test/homes.ts";
import { raw, sql } from "./home/sql.ts";
import { sqlite } from "./home/sqlite/sqlite.ts";
import { type Claimant, endOfLease, takeLease } from "./work.ts";

const [at, later] = ["2026-02-18T15:04:00.000Z", "2026-02-18T15:05:00.000Z"];
type Lease = { readonly runner: string | null; readonly leasedUntil: string | null };

/** Whether here:1 gets a lease that is held so. */
async function isTaken({ runner, leasedUntil }: Lease, isGone?: Claimant["isGone"]): Promise<boolean> {
  const place = await newFile();
  const home = sqlite(place.url);
  const taken = await home.write("everything", async (db) => {
    await db.run(raw("create table leases (runner text, leased_until text)"));
    await db.run(sql`insert into leases values (${runner}, ${leasedUntil})`);
    return takeLease(db, "leases", raw("1 = 1"), at, { runner: "here:1", leaseMs: 60_000, isGone });
  });
  await home.close();
  await place.remove();
  return taken;
}

test.each([
  ["nobody has it", { runner: null, leasedUntil: null }, true],
  ["it has it already", { runner: "here:1", leasedUntil: later }, true],
  ["another has it", { runner: "there:2", leasedUntil: later }, false],
  ["another has it until now", { runner: "there:2", leasedUntil: at }, false],
  ["another had it", { runner: "there:2", leasedUntil: "2026-02-18T15:03:59.999Z" }, true],
  ["another has it without an end", { runner: "there:2", leasedUntil: null }, true],
])("%s", async (_, held, isFree) => expect(await isTaken(held)).toBe(isFree));

test("who is gone has nothing, and only of another it is asked", async () => {
  const asked: string[] = [];
  const isGone = (runner: string) => asked.push(runner) > 0;
  expect(await isTaken({ runner: "there:2", leasedUntil: later }, isGone)).toBe(true);
  expect(await isTaken({ runner: "here:1", leasedUntil: later }, isGone)).toBe(true);
  expect(asked).toEqual(["there:2"]);
});

test("it is over so long after it was taken", () => expect(endOfLease(at, 60_000)).toBe(later));
