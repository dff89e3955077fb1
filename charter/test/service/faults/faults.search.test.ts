import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { startPostgres } from "../../postgres.ts";
import { randomFrom, seed, times } from "../../tiers/search.ts";
import { shutOutElsewhere } from "../shut-out/shut-out.ts";
import { restartPostgres } from "./postgres-restarts.ts";
import { killCharter } from "./process-kills.ts";

/** The service holds when what it stands on does not: nothing acknowledged is lost, and all goes on. */

test(`PostgreSQL restarted ${times(20)} times under load`, async () => {
  const server = await startPostgres();
  await server.ready;
  try {
    const { faults, ...figures } = await restartPostgres(server, { times: times(20), awayMs: 1_000 });
    console.log(
      `PostgreSQL was restarted ${figures.restarts} times: ${figures.answered} turns were answered and kept, ${figures.refused} were told that it is away; of ${figures.messages} messages on Telegram ${figures.messages - figures.givenUp} were answered (${figures.twice} of the answers came twice), ${figures.givenUp} were given up and said to be; of ${figures.runs} scheduled runs ${figures.runs - figures.reported} happened once, ${figures.reported} were reported.`,
    );
    expect(faults).toEqual([]);
  } finally {
    await server.stop();
  }
});

test(`charter start killed ${times(20)} times in the middle of its work`, async () => {
  const { faults, ...figures } = await killCharter({ times: times(20), random: randomFrom(seed) });
  console.log(
    `charter start was killed ${figures.kills} times: ${figures.answered} turns were answered and kept, ${figures.interrupted} were marked as interrupted; of ${figures.messages} messages on Telegram ${figures.messages - figures.givenUp} were answered (${figures.twice} of the answers came twice), ${figures.givenUp} were given up and said to be.`,
  );
  expect(faults).toEqual([]);
});

test.each(bothHomes)(`users shut out elsewhere ${times(100)} times, in every way, on %s`, async (home) => {
  const place = await newPlace(home);
  try {
    const { endedMs, faults } = await shutOutElsewhere(place, times(100));
    const sorted = endedMs.toSorted((one, other) => one - other);
    const half = sorted[Math.floor((sorted.length - 1) / 2)];
    console.log(
      `On ${home}, users were shut out elsewhere ${times(100)} times: of ${sorted.length} streams half were over within ${half} ms, all within ${sorted.at(-1)} ms.`,
    );
    expect(faults).toEqual([]);
  } finally {
    await place.remove();
  }
});
