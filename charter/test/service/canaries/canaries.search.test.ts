import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { seed, times } from "../../tiers/search.ts";
import { runCanaries } from "./canary-run.ts";

const people = 40;

test.each(bothHomes)(
  `${times(10_000)} mixed turns of ${people} people on %s, many at once: nobody's words are anywhere else`,
  async (home) => {
    const place = await newPlace(home);
    try {
      const { faults, answers, ...seen } = await runCanaries(place, { turns: times(10_000), people, seed, lanes: 32 });
      const statuses = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
      console.log(
        `On ${home}: ${seen.turns} turns of ${people} people: ${seen.requests} requests to the model, ${seen.messages} messages on Telegram, ${seen.runs} scheduled runs, ${seen.lines} lines of log, ${seen.rows} rows with words; answers: ${statuses.join(", ")}.`,
      );
      expect(faults).toEqual([]);
    } finally {
      await place.remove();
    }
  },
);
