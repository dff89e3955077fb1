import type { Environment } from "../../../delivery/models/provider.ts";
import { Problem } from "../../../prompt/problem.ts";
import { configurationOf } from "../../../server/config.ts";
import { hostUrl } from "../../../server/http/this-server.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { Here } from "../../shared/trust/here.ts";

/** A server on this machine answers at once, or is not there. */
const patience = 1_000;

/** Whether the server that these settings describe lost lines of its log. Nothing is said where none runs. */
export async function checkLog(here: Here, env: Environment): Promise<Checkup[]> {
  const at = await addressIn(here, env);
  if (at === undefined) return [];
  const answer = await fetch(`${at}/health`, { signal: AbortSignal.timeout(patience) }).catch(() => undefined);
  const health = (await answer?.json().catch(() => undefined)) as { readonly lostLogLines?: unknown } | undefined;
  const lost = health?.lostLogLines;
  if (typeof lost !== "number") return [];
  const lines = lost === 1 ? "a line" : `${lost} lines`;
  const hint =
    "Look at the disk its log is written to, or at the program that reads it. It counts until it is started anew.";
  return [{ what: `The server at ${at} could not write ${lines} of its log.`, fine: false, hint }];
}

/** Settings that are not right, or not trusted, are told of elsewhere. */
async function addressIn(here: Here, env: Environment): Promise<string | undefined> {
  try {
    const { host = "127.0.0.1", port = 4747 } = configurationOf((await here.settings()) ?? {}, env, {});
    return hostUrl(host, port);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
