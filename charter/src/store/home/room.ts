import { Problem } from "../../prompt/problem.ts";
import type { Home } from "./database.ts";
import { raw } from "./sql.ts";

/** Whether the disk of a home has room for what is written. */
type Room = {
  /** Notes when a write failed for want of room. */
  readonly noted: <Result>(write: Promise<Result>) => Promise<Result>;
  readonly lacking: Home["lacksRoom"];
};

/** Writes a row as it is: many a transaction writes nothing, and is kept also where there is no room. */
const probe = raw("update agents set updated_at = updated_at where name = (select min(name) from agents)");

/** `write`: the home's own, whose failures are noted here. */
export function createRoom(write: Home["write"]): Room {
  let problem: Problem | undefined;
  return {
    noted: async (writing) => {
      try {
        return await writing;
      } catch (error) {
        if (error instanceof Problem && error.code === "disk-full") problem = error;
        throw error;
      }
    },
    lacking: async () => {
      if (problem === undefined) return undefined;
      problem = undefined;
      await write("everything", (db) => db.run(probe)).catch(() => {});
      return problem;
    },
  };
}
