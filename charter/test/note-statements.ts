import { DatabaseSync, StatementSync } from "node:sqlite";
import pg from "pg";

/** What is asked of a database, which no machine changes. */
type TurnCost = {
  /** Transactions that only read, and those that write. */
  reads: number;
  writes: number;
  /** Statements that read or write rows; looks at marks; and the rest, locks and settings. */
  statements: number;
  looks: number;
  besides: number;
  /** On SQLite: the pages that each write logs. */
  pages: number[];
};

/** One message to a database may hold several statements. */
function isAboutRows(statement: string): boolean {
  return (
    /^\s*(with|select|insert|update|delete|replace)\b/i.test(statement) &&
    !/^select (pg_advisory|set_config)/.test(statement)
  );
}

function isLook(statement: string): boolean {
  return statement === "pragma data_version" || statement.includes("from charter.marks");
}

/** Notes what is said to databases by this process until it is stopped. `logged`: how many bytes a log has by now. */
export function noteStatements(logged: () => number) {
  const cost: TurnCost = { reads: 0, writes: 0, statements: 0, looks: 0, besides: 0, pages: [] };
  const said: string[] = [];
  let before = logged();
  const note = (message: string) => {
    const all = message.split(";").map((one) => one.trim().replaceAll(/\s+/g, " "));
    said.push(...all.filter((one) => one !== ""));
    for (const one of all) {
      if (one === "" || /^(commit|begin)/.test(one)) continue;
      if (isLook(one)) cost.looks++;
      else if (isAboutRows(one)) cost.statements++;
      else if (!/^set local|^set transaction|^select set_config/.test(one)) cost.besides++;
    }
    if (!all.some((one) => one.startsWith("begin"))) return;
    if (all.some((one) => one === "begin immediate" || one.startsWith("set local charter.sealed"))) cost.writes++;
    else cost.reads++;
  };
  const notePages = () => {
    if (logged() > before) cost.pages.push((logged() - before) / frame);
    before = logged();
  };
  const undo = [
    ...(["run", "get", "all"] as const).map((name) =>
      replace(
        StatementSync.prototype,
        name,
        (real) =>
          function (this: StatementSync, ...values: unknown[]) {
            note(this.sourceSQL);
            const result = real.apply(this, values);
            if (this.sourceSQL === "commit") notePages();
            return result;
          },
      ),
    ),
    replace(
      DatabaseSync.prototype,
      "exec",
      (real) =>
        function (this: DatabaseSync, text: unknown) {
          note(text as string);
          const result = real.call(this, text);
          if (text === "commit") notePages();
          return result;
        },
    ),
    replace(
      pg.Client.prototype,
      "query",
      (real) =>
        function (this: pg.Client, ...given: unknown[]) {
          const [query] = given as [string | { readonly text?: string }];
          note(typeof query === "string" ? query : (query.text ?? ""));
          return real.apply(this, given);
        },
    ),
  ];
  return { cost, said, stop: () => void undo.map((one) => one()) };
}

/** A page in a write-ahead log, with what stands before it. */
const frame = 2048 + 24;

type Method = (...given: unknown[]) => unknown;

/** Another function in the place of a method, until it is put back. */
function replace(of: object, name: string, make: (real: Method) => Method): () => void {
  const methods = of as Record<string, Method>;
  const real = methods[name] as Method;
  methods[name] = make(real);
  return () => {
    methods[name] = real;
  };
}
