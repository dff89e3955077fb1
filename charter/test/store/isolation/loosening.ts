import type { Database, Home, Reach } from "../../../src/store/home/database.ts";
import type { Query, Row } from "../../../src/store/home/sql.ts";

type Way = <Result>(reach: Reach, work: (db: Database) => Promise<Result>) => Promise<Result>;

/** A condition on whose rows a statement is about, as it stands in it. */
export type Loose = { readonly name: string; readonly statement: string; readonly at: number };

/** Which condition is out just now, and what statements had by then. */
export type Loosening = {
  /** The same home; in what is run through a scope, the condition always holds. */
  readonly loosen: (home: Home) => Home;
  /** Every condition that was in a statement of a scope. */
  readonly seen: ReadonlyMap<string, Loose>;
  /** Takes one condition out of its statement, wherever that is run; none: all are in again. */
  readonly take: (one?: Loose) => void;
  /** How many statements have been run without it. */
  readonly without: () => number;
};

/** Where a value is given, in the text of a statement. */
const gap = "␀";
const condition =
  /(?<=\b(?:where|and|or|on)\s+\(*)(?:\w+\.)?(?:agent|user_id|owner) (?:= (?:␀|''|\w+\.\w+)|in \([^()]*\))/gi;
/** SQLite's index of notes is asked for a scope in words of its own. */
const ofScope = /^scope:"[0-9a-f]*" AND /i;

/** `isOpen`: the fence is away as well, and only the conditions are left. */
export function createLoosening(isOpen = false): Loosening {
  const seen = new Map<string, Loose>();
  let out: Loose | undefined;
  let without = 0;
  const loose = (query: Query): Query => {
    const text = query.texts.join(gap);
    const statement = text.replace(/\s+/g, " ").replace(/␀(?:, ␀)+/g, `${gap}…`);
    const found = [...text.matchAll(condition)];
    const matched = query.values.findIndex((value) => typeof value === "string" && ofScope.test(value));
    const names = [...found.map(([words]) => words), ...(matched < 0 ? [] : ["match scope"])];
    for (const [at, name] of names.entries()) seen.set(`${statement} ${at}`, { name, statement, at });
    if (out?.statement !== statement) return query;
    without += 1;
    const one = found[out.at];
    if (!one) return { ...query, values: query.values.map((value, at) => (at === matched ? unscoped(value) : value)) };
    const end = one.index + one[0].length;
    return { ...query, texts: `${text.slice(0, one.index)}(${one[0]} or 1 = 1)${text.slice(end)}`.split(gap) };
  };
  const through = (db: Database): Database => ({
    dialect: db.dialect,
    all: (query) => db.all(loose(query)),
    one: (query) => db.one(loose(query)),
    run: (query) => db.run(loose(query)),
    send: (query) => db.send(loose(query)),
    each: (query) => db.each(loose(query)),
  });
  const scoped =
    (way: Way): Way =>
    (reach, work) =>
      reach === "everything" ? way(reach, work) : way(isOpen ? "everything" : reach, (db) => work(through(db)));
  return {
    loosen: (home) => ({ ...home, read: scoped(home.read), write: scoped(home.write) }),
    seen,
    take: (one) => {
      out = one;
      without = 0;
    },
    without: () => without,
  };
}

function unscoped(value: Row[string]): Row[string] {
  return typeof value === "string" ? value.replace(ofScope, "") : value;
}
