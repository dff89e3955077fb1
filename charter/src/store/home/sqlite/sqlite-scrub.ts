import type { DatabaseSync } from "node:sqlite";

/**
 * Nothing that was deleted is left in the file or in its log.
 *
 * What was replaced long ago may still stand in pages that are free, and deleted notes and turns in the index of their words, so
 * the whole file is written anew. The log is emptied when nobody reads from it: other processes are given some seconds.
 */
export async function scrub(handle: DatabaseSync): Promise<boolean> {
  const steps = [
    () => handle.exec("insert into memories_search (memories_search) values ('optimize')"),
    () => handle.exec("insert into turns_search (turns_search) values ('optimize')"),
    () => handle.exec("vacuum"),
    () => {
      const { busy } = handle.prepare("pragma wal_checkpoint(truncate)").get() as { busy: number };
      if (busy !== 0) throw { errcode: 5 };
    },
  ];
  handle.exec("pragma busy_timeout = 0");
  try {
    for (let tries = 0; tries < 50 && steps.length > 0; tries++) {
      try {
        for (; steps.length > 0; steps.shift()) steps[0]?.();
      } catch (error) {
        if (((error as { errcode?: number }).errcode ?? 0) % 256 !== 5) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    return steps.length === 0;
  } finally {
    handle.exec("pragma busy_timeout = 5000");
  }
}
