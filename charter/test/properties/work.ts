import { Session } from "node:inspector";

/** So many items, and four times as many: linear work is four times as much, and sorting a little more; by the square sixteen times. */
const count = 200;
export const mostGrowth = 5;

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Subject = { readonly length: number; readonly lastIndex: number; readonly sticky: boolean };
type Cost = (self: Subject, made: unknown, given: readonly unknown[]) => number;

const sizeOf = (value: unknown) => (typeof value === "string" || Array.isArray(value) ? value.length : 1);
const whole: Cost = ({ length }) => length;
const result: Cost = (_, made) => sizeOf(made);
const argument: Cost = (_, __, [one]) => sizeOf(one);
/** What a search has passed over when it ends. */
const passed: Cost = ({ length }, made, [, from]) =>
  Math.max(1, (Number(made) >= 0 ? Number(made) + 1 : length) - (Number(from) || 0));
const passedToFind: Cost = ({ length }, made) => (made === true ? 1 : length);
const all = (cost: Cost, names: string) => names.split(" ").map((name) => [name, cost] as const);

/** What the engine's own functions go over, which no count of statements shows: characters, or items. */
const costs: readonly (readonly [object: object, costs: readonly (readonly [name: PropertyKey, cost: Cost])[]])[] = [
  [
    String.prototype,
    [
      ...all(result, "repeat padEnd padStart"),
      // The engine copies nothing of these.
      ...all(() => 1, "slice substring"),
      ...all(
        whole,
        "split trim trimEnd normalize toLowerCase toUpperCase replaceAll lastIndexOf isWellFormed toWellFormed",
      ),
      ...[["indexOf", passed] as const, ["includes", passedToFind] as const],
    ],
  ],
  [
    Array.prototype,
    [
      ...all(result, "slice concat join flat"),
      ...all(whole, "reverse toReversed sort toSorted with toSpliced splice shift unshift lastIndexOf"),
      ...[["indexOf", passed] as const, ["includes", passedToFind] as const, [Symbol.iterator, whole] as const],
    ],
  ],
  [JSON, [...all(result, "stringify"), ...all(argument, "parse")]],
  [Object, [...all(result, "keys values entries"), ...all(argument, "fromEntries")]],
  [
    RegExp.prototype,
    [["exec", ({ sticky }, made, [text]) => (made ? sizeOf((made as RegExpExecArray)[0]) : sticky ? 1 : sizeOf(text))]],
  ],
];

let session: Session | undefined;

/** Runs of blocks of code since the last time. */
function runs(): number {
  let sum = 0;
  session ??= new Session();
  session.post("Profiler.takePreciseCoverage", (_, { result: scripts }) => {
    for (const { functions } of scripts)
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  });
  return sum;
}

/**
 * Counts the work of a call: how often its blocks of code run, and what the engine's own functions go over meanwhile. The same
 * call has nearly the same count on any machine, under any load.
 */
export async function workOf(call: () => unknown): Promise<number> {
  if (!session) {
    session = new Session();
    session.connect();
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }
  let work = 0;
  const restore = costs.flatMap(([object, own]) =>
    own.map(([name, cost]) => {
      const before = Object.getOwnPropertyDescriptor(object, name) as PropertyDescriptor & { value: Method };
      const value: Method = function (...given) {
        const made = before.value.apply(this, given);
        work += 1 + cost(this as Subject, made, given);
        return made;
      };
      Object.defineProperty(object, name, { ...before, value });
      return () => Object.defineProperty(object, name, before);
    }),
  );
  runs();
  try {
    await call();
  } finally {
    for (const one of restore) one();
    work += runs();
  }
  return work;
}

/** Counts no longer: code that is counted is slower, and the next files run in this process. */
export function endCounting(): void {
  session?.post("Profiler.disable");
  session?.disconnect();
  session = undefined;
}

/**
 * How many times the work is that of four times the items. What else the process does meanwhile is counted, too, and only ever adds:
 * too much is counted once more.
 */
export async function growthOf(make: (count: number) => () => unknown): Promise<number> {
  await make(3)();
  const few = await workOf(make(count));
  const growth = async () => (await workOf(make(4 * count))) / few;
  const first = await growth();
  return first < mostGrowth ? first : Math.min(first, await growth());
}
