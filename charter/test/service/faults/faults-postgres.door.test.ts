import { expect, test } from "vitest";
import { startPostgres } from "../../postgres.ts";
import { restartPostgres } from "./postgres-restarts.ts";

/** `npm run faults` restarts it more often. */
test("PostgreSQL goes away and comes back under load: who asks meanwhile is told, nothing acknowledged is lost, all goes on", async () => {
  const server = await startPostgres();
  await server.ready;
  try {
    const { faults, answered, refused, runs, messages } = await restartPostgres(server, { times: 1, awayMs: 300 });
    expect(faults).toEqual([]);
    expect([answered >= 20, refused >= 4, runs > 0, messages > 0]).toEqual([true, true, true, true]);
  } finally {
    await server.stop();
  }
});
