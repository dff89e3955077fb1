type Labels = Readonly<Record<string, string>>;

/** A number that only grows, for each set of labels. */
type Counter = { readonly of: (labels: Labels) => (by?: number) => void; readonly lines: () => string[] };

/** How long things took: how many took at most so many seconds, for each set of labels. */
type Histogram = { readonly of: (labels: Labels) => (seconds: number) => void; readonly lines: () => string[] };

/**
 * Labels are names the operator or the code gave, so there are few of them; should that ever go wrong, whatever comes
 * after these is counted together, without labels.
 */
const maxSeries = 2_000;

export function createCounter(name: string, help: string): Counter {
  const series = createSeries(() => ({ value: 0 }));
  return {
    of: (labels) => {
      const one = series.of(labels);
      return (by = 1) => {
        one.value += by;
      };
    },
    lines: () => [
      ...header(name, help, "counter"),
      ...series.all().map(([labels, { value }]) => `${name}${labelled(labels)} ${value}`),
    ],
  };
}

export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const series = createSeries(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
  return {
    of: (labels) => {
      const one = series.of(labels);
      return (seconds) => {
        for (const [place, bound] of bounds.entries())
          if (seconds <= bound) one.counts[place] = (one.counts[place] ?? 0) + 1;
        one.sum += seconds;
        one.count++;
      };
    },
    lines: () => [
      ...header(name, help, "histogram"),
      ...series
        .all()
        .flatMap(([labels, { counts, sum, count }]) => [
          ...bounds.map((bound, at) => `${name}_bucket${labelled({ ...labels, le: String(bound) })} ${counts[at]}`),
          `${name}_bucket${labelled({ ...labels, le: "+Inf" })} ${count}`,
          `${name}_sum${labelled(labels)} ${Math.round(sum * 1e6) / 1e6}`,
          `${name}_count${labelled(labels)} ${count}`,
        ]),
    ],
  };
}

/** A number that only grows, and that another counts. */
export function total(name: string, help: string, value: number): string[] {
  return [...header(name, help, "counter"), `${name} ${value}`];
}

/** How something stands at this moment. */
export function gauge(name: string, help: string, values: readonly (readonly [Labels, number])[]): string[] {
  return [...header(name, help, "gauge"), ...values.map(([labels, value]) => `${name}${labelled(labels)} ${value}`)];
}

function createSeries<Value>(fresh: () => Value) {
  const known = new Map<string, readonly [Labels, Value]>();
  return {
    of: (labels: Labels): Value => {
      const wanted = known.has(labelled(labels)) || known.size < maxSeries ? labels : {};
      const key = labelled(wanted);
      const found = known.get(key) ?? ([wanted, fresh()] as const);
      known.set(key, found);
      return found[1];
    },
    all: () => [...known.values()],
  };
}

function header(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replace(/["\\\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}
