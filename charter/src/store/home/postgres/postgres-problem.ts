import { Problem, reasonOf } from "../../../prompt/problem.ts";

export function postgresProblem(error: unknown, place: string): unknown {
  const code = (error as { code?: string }).code ?? "";
  const known = problems.find(({ codes }) => codes.includes(code));
  if (known) return new Problem(known.code, known.message(place), known.hint);
  if (/certificate|SSL|TLS/.test(`${code} ${reasonOf(error)}`))
    return new Problem(
      "store-refused",
      `There is no secure connection to PostgreSQL at ${place}: ${reasonOf(error)}.`,
      "Check sslmode in the address, and the server's certificate.",
    );
  if (code.startsWith("08") || code.startsWith("57P") || /timeout|terminated|Connection/i.test(reasonOf(error)))
    return new Problem("store-unreachable", `PostgreSQL at ${place} does not answer: ${reasonOf(error)}.`, unreachable);
  return error;
}

/** Whether the connection went away under a query: what was not committed was undone. */
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

/** A server that lets nobody in for so long does not answer. */
export const answersWithin = 10_000;

const unreachable = "Check that it runs and that the address is right; nothing was changed.";

const problems: readonly {
  codes: readonly string[];
  code: string;
  message: (place: string) => string;
  hint: string;
}[] = [
  {
    codes: [
      "ECONNREFUSED",
      "ENOTFOUND",
      "EAI_AGAIN",
      "ETIMEDOUT",
      "EHOSTUNREACH",
      "ENETUNREACH",
      "ECONNRESET",
      "57P03",
      "57P01",
      "ENOENT",
    ],
    code: "store-unreachable",
    message: (place) => `PostgreSQL at ${place} cannot be reached.`,
    hint: unreachable,
  },
  {
    codes: ["28P01", "28000"],
    code: "store-refused",
    message: (place) => `PostgreSQL at ${place} refused the name or the password.`,
    hint: "Check the user and the password in the address.",
  },
  {
    codes: ["3D000"],
    code: "no-database",
    message: (place) => `There is no such database at ${place}.`,
    hint: "Create it with createdb, then run `charter migrate`.",
  },
  {
    codes: ["42P01", "3F000"],
    code: "store-gone",
    message: (place) =>
      `The tables in ${place} are not there: they were dropped, or it was made anew, while it was in use.`,
    hint: "Stop every process that uses it, restore a checkpoint, and start them again.",
  },
  {
    codes: ["42501"],
    code: "store-refused",
    message: (place) => `The user of ${place} may not do this.`,
    hint: "Connect as the role that ran `charter migrate`. To run it, a role has to own the database and be a member of charter_user, or be allowed to create roles.",
  },
  {
    codes: ["53300"],
    code: "store-busy",
    message: (place) => `PostgreSQL at ${place} has no connection left.`,
    hint: "Close some, or let it have more (max_connections).",
  },
  {
    // Limits the server, the database or the role has for statements, locks and transactions: it answers, and says no.
    codes: ["57014", "55P03", "25P03", "25P04"],
    code: "store-busy",
    message: (place) => `PostgreSQL at ${place} cut off what took longer than its own limits allow.`,
    hint: "Try again; if it stays so, raise its limits (statement_timeout, lock_timeout) for this role.",
  },
  {
    codes: ["53100"],
    code: "disk-full",
    message: (place) => `There is no room left on the disk of ${place}.`,
    hint: "Free some space. Nothing was changed.",
  },
  {
    codes: ["25006"],
    code: "read-only",
    message: (place) => `${place} cannot be written to.`,
    hint: "Name the primary, not a standby.",
  },
];
