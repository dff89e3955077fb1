import type { Client } from "pg";
import { loadPackage } from "../../../packages/load-package.ts";
import { backoffMs } from "../../../prompt/backoff.ts";
import { answersWithin } from "./postgres-problem.ts";

const retry = { min: 100, max: 5000 };

/**
 * Hears of every event for as long as it is wanted. A connection that is lost is opened again, however long that takes,
 * and `wake` is called without an event: something may have been written in between.
 */
export async function listenForEvents(url: string, wake: (event?: number) => void): Promise<() => Promise<void>> {
  const { default: pg } = await loadPackage("pg", { purpose: "PostgreSQL" });
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Client | undefined;
  const open = async () => {
    const about = { application_name: "charter watch", keepAlive: true, connectionTimeoutMillis: answersWithin };
    const client = new pg.Client({ connectionString: url, ...about });
    client.on("error", () => {});
    client.on("notification", ({ payload }) => wake(payload === undefined ? undefined : Number(payload)));
    await client.connect();
    await client.query("listen charter");
    if (stopped) return client.end();
    current = client;
    client.on("end", () => {
      if (!stopped) openAgain(0);
    });
  };
  const openAgain = (failures: number) => {
    timer = setTimeout(
      async () => {
        try {
          await open();
          wake();
        } catch {
          if (!stopped) openAgain(failures + 1);
        }
      },
      backoffMs(failures, () => 1, retry),
    );
  };
  await open();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await current?.end();
  };
}
