import { type Random, rng } from "./workloads/rng.ts";

/** One way of doing the work. `units`: how much of the work one round does, so that a slow one may do less of it. */
export type Contender = {
  readonly name: string;
  readonly units?: number;
  /** Off the clock, at the start of every round: fresh caches, fresh inputs. Returns the steps that are on the clock. */
  readonly prepare: () => readonly (() => unknown)[];
  /** What a step gives is how long it took by its own clock. */
  readonly ownClock?: true;
  /** Off the clock, after every step. */
  readonly settle?: () => Promise<void>;
};

/** Milliseconds for one unit of work, by contender, one number a round. */
export type Times = ReadonlyMap<string, readonly number[]>;

/**
 * Lets the contenders take turns: in a round everyone's first steps in shuffled order, then everyone's second, so that
 * what slows the machine for a while slows them all. A contender's time is the sum of its steps. Two rounds nobody
 * looks at come first.
 */
export async function inRounds(contenders: readonly Contender[], rounds: number): Promise<Times> {
  const random = rng(1);
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    const running = contenders.map((contender) => ({ contender, steps: contender.prepare(), took: 0 }));
    const longest = Math.max(...running.map(({ steps }) => steps.length));
    for (let index = 0; index < longest; index++)
      for (const one of shuffled(running, random)) {
        const step = one.steps[index];
        if (!step) continue;
        const began = performance.now();
        const given = step();
        const result = given instanceof Promise ? await given : given;
        one.took += one.contender.ownClock ? (result as number) : performance.now() - began;
        await one.contender.settle?.();
      }
    if (round >= 0)
      for (const { contender, took } of running) times.get(contender.name)?.push(took / (contender.units ?? 1));
  }
  return times;
}

/** A long list of work as `count` steps. */
export function inSteps<T>(list: readonly T[], count: number, work: (item: T) => unknown): (() => unknown)[] {
  const each = Math.ceil(list.length / count);
  return Array.from({ length: count }, (_, step) => () => {
    for (const item of list.slice(step * each, (step + 1) * each)) work(item);
  });
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const out = [...list];
  for (let index = out.length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    [out[index], out[other]] = [out[other] as T, out[index] as T];
  }
  return out;
}

/** The middle, and how far four rounds in five lie apart. */
export type Spread = { readonly median: number; readonly p10: number; readonly p90: number };

export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const low = sorted[Math.floor(place)] as number;
    return low + ((sorted[Math.ceil(place)] as number) - low) * (place % 1);
  };
  return { median: at(0.5), p10: at(0.1), p90: at(0.9) };
}

export function timeOf(times: Times, name: string): Spread {
  return spreadOf(times.get(name) ?? []);
}

/** The ratio is taken inside each round: both stood on the same machine at the same moment. */
export function ratioOf(times: Times, name: string, base: string): Spread {
  const bases = times.get(base) ?? [];
  return spreadOf((times.get(name) ?? []).map((time, round) => time / (bases[round] as number)));
}

/** How much y grows with x, by least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [middle, height] = [mean(([x]) => x), mean(([, y]) => y)];
  return mean(([x, y]) => (x - middle) * (y - height)) / mean(([x]) => (x - middle) ** 2);
}

let sink = 0;

/**
 * Makes a text what a reader of it would need: one flat run of characters. V8 keeps `a + b` as a tree and copies
 * nothing until somebody looks inside, so a clock stopped before that flatters whoever concatenates. Reading one
 * character of a tree makes V8 flatten the whole of it; reading one of a flat text costs nothing. The sum keeps the
 * compiler from leaving the reading out.
 */
export function flat(text: string): string {
  sink = (sink + text.charCodeAt(text.length >> 1)) | 0;
  return text;
}
