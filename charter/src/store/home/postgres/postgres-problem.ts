import type { Client } from "pg";
import { loadPackage } from "../../../packages/load-package.ts";
import { backoffMs } from "../../../prompt/bounds.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";

export function postgresProblem(error: unknown, place: string): unknown {
  const code = (error as { code?: string }).code ?? "";
  const [, known, message, hint] = problems.find(([codes]) => codes.split(" ").includes(code)) ?? [];
  if (known && message && hint) return new Problem(known, message(place), hint);
  if (/certificate|SSL|TLS/.test(`${code} ${reasonOf(error)}`))
    return new Problem(
      "store-refused",
      `There is no secure connection to PostgreSQL at ${place}: ${reasonOf(error)}.`,
      "Check sslmode in the address, and the server's certificate.",
    );
  if (connectionLost(error) || code.startsWith("57P") || /timeout|terminated|Connection/i.test(reasonOf(error)))
    return new Problem("store-unreachable", `PostgreSQL at ${place} does not answer: ${reasonOf(error)}.`, unreachable);
  return error;
}

/** Tells whether the connection was lost during a query: what was not committed was rolled back. */
export function connectionLost(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? "";
  if (/^(?:08|57P0[1-5])/.test(code) || ["ECONNRESET", "EPIPE", "ETIMEDOUT"].includes(code)) return true;
  return code === "" && /connection (?:terminated|error)|not queryable/i.test(reasonOf(error));
}

export function commitUnknown(place: string): Problem {
  return new Problem(
    "store-unreachable",
    `The connection to PostgreSQL at ${place} was lost during a commit; whether the change was stored is not known.`,
    "Check before you repeat it. A proposal with a key, or a message with an id, can safely be sent again.",
  );
}

/** Timeout in milliseconds: a server that accepts no connection for so long does not answer. */
export const connectTimeoutMs = 10_000;

const unreachable = "Check that it runs and that the address is right; nothing was changed.";

/** Problems for the error codes of the server, and of the connection to it. */
const problems: readonly [codes: string, code: string, message: (place: string) => string, hint: string][] = [
  [
    "ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH ECONNRESET 57P03 57P01 ENOENT",
    "store-unreachable",
    (place) => `PostgreSQL at ${place} cannot be reached.`,
    unreachable,
  ],
  [
    "28P01 28000",
    "store-refused",
    (place) => `PostgreSQL at ${place} refused the name or the password.`,
    "Check the user and the password in the address.",
  ],
  [
    "3D000",
    "no-database",
    (place) => `There is no such database at ${place}.`,
    "Create it with createdb, then run `charter migrate`.",
  ],
  [
    "42P01 3F000",
    "store-gone",
    (place) => `The tables in ${place} are not there: they were dropped, or it was made anew, while it was in use.`,
    "Stop every process that uses it, restore a checkpoint, and start them again.",
  ],
  [
    "42501",
    "store-refused",
    (place) => `The user of ${place} may not do this.`,
    "Connect as the role that ran `charter migrate`. To run it, a role has to own the database and be a member of charter_user, or be allowed to create roles.",
  ],
  [
    "53300",
    "store-busy",
    (place) => `PostgreSQL at ${place} has no connection left.`,
    "Close some, or let it have more (max_connections).",
  ],
  // Limits of the server, the database or the role for statements, locks and transactions: the server answers, and refuses.
  [
    "57014 55P03 25P03 25P04",
    "store-busy",
    (place) => `PostgreSQL at ${place} cut off what took longer than its own limits allow.`,
    "Try again; if it stays so, raise its limits (statement_timeout, lock_timeout) for this role.",
  ],
  [
    "53100",
    "disk-full",
    (place) => `There is no room left on the disk of ${place}.`,
    "Free some space. Nothing was changed.",
  ],
  ["25006", "read-only", (place) => `${place} cannot be written to.`, "Name the primary, not a standby."],
];

const retry = { min: 100, max: 5000 };

/**
 * Listens for events until it is stopped. A lost connection is opened again, however long that takes, and `wake` is then called
 * without an event: something may have been written in between.
 */
export async function listenForEvents(
  url: string,
  name: string,
  wake: (event?: number) => void,
): Promise<() => Promise<void>> {
  const { default: pg } = await loadPackage("pg", { purpose: "PostgreSQL" });
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Client | undefined;
  const open = async () => {
    const about = { application_name: `${name} watch`, keepAlive: true, connectionTimeoutMillis: connectTimeoutMs };
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
