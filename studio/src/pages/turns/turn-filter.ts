import { firstDay } from "../money/days.ts";

export const states = ["running", "answered", "failed", "interrupted", "erased"] as const;
export const events = ["failed", "amended", "refused", "held", "cache-miss", "nothing-cached", "tool"] as const;
export const sorts = ["newest", "oldest", "cost", "duration"] as const;

export type State = (typeof states)[number];
export type TurnEvent = (typeof events)[number];
export type Sort = (typeof sorts)[number];

/** Which turns are looked at, and in which order; what is not said does not matter. */
export type TurnFilter = Days & {
  readonly [Key in Free]?: string | undefined;
} & {
  readonly state?: State | undefined;
  readonly event?: TurnEvent | undefined;
  /** In dollars. */
  readonly minCost?: number | undefined;
  readonly maxCost?: number | undefined;
  /** Newest first, where nothing is said. */
  readonly sort?: Exclude<Sort, "newest"> | undefined;
};

const free = ["words", "user", "session", "channel", "model"] as const;
type Free = (typeof free)[number];

/** What each part of a filter is called in an address. `from` is taken there: it says which stretch of the list. */
const keys = {
  words: "words",
  user: "user",
  session: "session",
  channel: "channel",
  model: "model",
  state: "state",
  event: "event",
  when: "when",
  since: "since",
  until: "until",
  minCost: "min-cost",
  maxCost: "max-cost",
  sort: "sort",
} as const satisfies Record<keyof TurnFilter, string>;

/** A value in an address that means nothing: it is told, and filters nothing. */
export type Unread = { readonly key: string; readonly value: string; readonly reason: string };

/** What an address asks for, and what of it cannot be read. */
export function filterIn(asked: (key: string) => string | undefined): {
  readonly filter: TurnFilter;
  readonly unread: readonly Unread[];
} {
  const unread: Unread[] = [];
  const read = <Value>(part: keyof TurnFilter, how: (text: string) => Value | undefined, reason: string) => {
    const value = asked(keys[part]);
    if (value === undefined || value === "") return undefined;
    const found = how(value);
    if (found === undefined) unread.push({ key: keys[part], value, reason });
    return found;
  };
  const oneOf = <Value extends string>(part: keyof TurnFilter, values: readonly Value[]) =>
    read(part, (text) => values.find((value) => value === text), `must be one of ${values.join(", ")}`);
  const when = oneOf<Stretch>("when", stretches);
  const day = (part: "since" | "until") =>
    when === undefined
      ? read(part, (text) => (dayIn(text) ? text : undefined), "must be a day, such as 2026-11-17")
      : read(part, () => undefined, `is of no use beside when=${when}`);
  const cost = (part: "minCost" | "maxCost") => read(part, dollarsIn, "must be a number of dollars, such as 0.05");
  const sort = oneOf<Sort>("sort", sorts);
  const filter: TurnFilter = {
    ...Object.fromEntries(free.map((part) => [part, read(part, (text) => text, "")])),
    state: oneOf<State>("state", states),
    event: oneOf<TurnEvent>("event", events),
    when,
    since: day("since"),
    until: day("until"),
    minCost: cost("minCost"),
    maxCost: cost("maxCost"),
    sort: sort === "newest" ? undefined : sort,
  };
  return { filter: defined(filter), unread };
}

function dollarsIn(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

/** The same as it stands in an address: every part has its place, and what is not said is undefined there. */
export function askedBy(filter: TurnFilter): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    (Object.keys(keys) as (keyof TurnFilter)[]).map((part) => {
      const value = filter[part];
      return [keys[part], value === undefined || value === "" ? undefined : String(value)];
    }),
  );
}

/** What the server is asked: days as moments, and words without the space around them. */
export function queryOf(filter: TurnFilter, now: Date): Readonly<Record<string, string | number>> {
  const { when, since, until, words, ...rest } = filter;
  return defined({ ...rest, words: words?.trim() || undefined, ...spanOf({ when, since, until }, now) });
}

/** Whether anything narrows the list. In which order it is, and of which session, does not. */
export function isNarrow({ sort: _, session: __, ...filter }: TurnFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && value !== "");
}

/** The same with nothing that narrows it: the session and the order stay. */
export function cleared({ session, sort }: TurnFilter): TurnFilter {
  const nothing = Object.fromEntries(Object.keys(keys).map((part) => [part, undefined]));
  return { ...nothing, session, sort } as TurnFilter;
}

function defined<Values extends object>(values: Values): { [Key in keyof Values]: Exclude<Values[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** A stretch of days one often asks for. */
export const stretches = ["today", "yesterday", "week"] as const;
export type Stretch = (typeof stretches)[number];

/** Which days are meant: one of those, or from one day on, until another (`2026-11-17`, both included). */
export type Days = {
  readonly when?: Stretch | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** From a moment on, until before another. */
export type Span = { readonly from?: string; readonly to?: string };

/**
 * The moments that days begin and end at, where the reader is: days of 23 and 25 hours included. A week is today and the six
 * days before it in UTC, as Home and Money count it.
 */
export function spanOf({ when, since, until }: Days, now: Date): Span {
  if (when === "today") return { from: midnight(now, 0) };
  if (when === "yesterday") return { from: midnight(now, -1), to: midnight(now, 0) };
  if (when === "week") return { from: `${firstDay("7", now)}T00:00:00.000Z` };
  return {
    ...(since === undefined ? {} : { from: midnight(dayIn(since) as Date, 0) }),
    ...(until === undefined ? {} : { to: midnight(dayIn(until) as Date, 1) }),
  };
}

/** A day that exists, as its first moment here; nothing where the text is no such day. */
export function dayIn(text: string): Date | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return undefined;
  const [year, month, date] = found.slice(1).map(Number) as [number, number, number];
  const day = new Date(year, month - 1, date);
  // Years before 100 would be read as of the last century, and the 31st of a short month as the next one’s first.
  const isSame = day.getFullYear() === year && day.getMonth() === month - 1 && day.getDate() === date;
  return isSame ? day : undefined;
}

function midnight(day: Date, later: number): string {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + later).toISOString();
}
