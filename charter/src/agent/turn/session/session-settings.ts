import { isRecord } from "../../../prompt/argument.ts";
import { Problem } from "../../../prompt/problem.ts";

/** How an agent's turns are put into sessions, where nobody names one. */
export type SessionSettings = {
  /** A session whose last request is older than this does not go on: the next turn opens a new one. */
  readonly idleHours?: number | undefined;
  /** One session for all of a user's channels. Each turn says which one it came by. */
  readonly across?: boolean | undefined;
};

/** Reads the settings; what is wrong with them is named. `of`: whose they are, for the message. */
export function sessionSettingsOf(given: unknown, of: string, code = "bad-argument"): SessionSettings {
  const wrong = (what: string, hint: string) => new Problem(code, `${of}: ${what}.`, hint);
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw wrong("“sessions” is no object", example);
  const { idleHours, across, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`“sessions” has no “${unknown}”`, example);
  if (!isGiven(idleHours)) return { across: flagOf(across) };
  if (typeof idleHours !== "number" || !(idleHours > 0) || !Number.isFinite(idleHours))
    throw wrong(
      `“sessions.idleHours” is ${JSON.stringify(idleHours)}`,
      "Give a number of hours above 0, or leave it out.",
    );
  return { idleHours, across: flagOf(across) };

  function flagOf(value: unknown): boolean | undefined {
    if (!isGiven(value)) return undefined;
    if (typeof value === "boolean") return value;
    throw wrong(`“sessions.across” is ${JSON.stringify(value)}`, "Give true or false.");
  }
}

const example = "Give { idleHours: 12, across: true }, or one of the two.";

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
