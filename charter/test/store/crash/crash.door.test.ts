import { expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { bothHomes, newPlace } from "../../homes.ts";
import { randomFrom, seed } from "../../tiers/search.ts";
import { findHalves } from "./crash-check.ts";
import { killWriter } from "./crash-kill.ts";
import { crash } from "./crash-run.ts";
import type { Acknowledged } from "./writer.ts";

/** What a store that does one thing after the other, and not all at once, would leave. */
const damages = [
  sql`delete from outbox where id = (select max(id) from outbox)`,
  sql`update inbox set status = 'waiting' where id = (select max(id) from inbox where status = 'answered')`,
  sql`delete from exchanges where number = (select max(number) from exchanges)`,
  sql`delete from conversations where active = (select max(active) from conversations)`,
  sql`delete from standings where section = 'goals'`,
  sql`update standings set words = 'Half.' where section = 'goals'`,
  sql`delete from amendments where section = 'goals' and revision = (select max(revision) from amendments where section = 'goals')`,
  sql`delete from events where id = (select max(id) from events where kind = 'amended')`,
  sql`delete from steps where number = (select max(number) from steps)`,
  sql`update hash_chains set number = number + 1`,
  sql`delete from turns where id = (select max(turn) from steps)`,
  sql`delete from texts where digest = (select max(after_digest) from amendments)`,
  sql`update spending set micros = micros + 1`,
  sql`update turns set worded = 1 - worded where state = 'answered'`,
];

const isEverything = (done: readonly Acknowledged[]) =>
  ["closed", "stepped", "answered", "learned"].every((did) => done.some((one) => one.did === did)) &&
  done.some((one) => one.did === "amended" && one.section === "goals");

for (const name of bothHomes)
  test(`a writer on ${name} that is killed loses nothing it was promised and leaves nothing half done`, async () => {
    const place = await newPlace(name, "empty");
    const kills = 2;
    const home = place.open();
    try {
      const { acknowledged, ...report } = await crash(place, { kills, random: randomFrom(seed) });
      expect(report).toEqual({ kills, faults: [] });
      // The first is killed while it starts, the other when something was acknowledged.
      expect(acknowledged).toBeGreaterThanOrEqual(1);

      // On a busy machine so few lives may not have come to everything: one more goes on until there is something to damage.
      const last = await killWriter(place.url, { enough: isEverything });
      expect(last.complaint).toBe("");
      const undo = new Error("undone");
      for (const damage of damages)
        await expect(
          home.write("everything", async (db) => {
            expect(await db.run(damage)).toBeGreaterThan(0);
            expect([damage.texts[0], await findHalves(db)]).not.toEqual([damage.texts[0], []]);
            throw undo;
          }),
        ).rejects.toBe(undo);
    } finally {
      await home.close();
      await place.remove();
    }
  });
