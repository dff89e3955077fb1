import { usualChannels } from "../../charters/assistant/assistant.ts";
import type { Host } from "../../host/host.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import type { WorkCount } from "../../store/store.ts";

type RequestMetric = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
};

/** Counters of the server. Labels are names of agents, channels, states and routes: never anybody's text or ids. */
export type Metrics = {
  readonly recordRequest: (one: RequestMetric) => void;
  /** Counts a host's turns, whoever takes them. */
  readonly watch: (host: Host) => () => void;
  /** Metrics in Prometheus' text format. */
  readonly text: (host: Host) => Promise<string>;
};

const requestSeconds = [0.005, 0.02, 0.1, 0.5, 2, 10];
const maxBegun = 10_000;
const turnSeconds = [0.1, 0.5, 1, 2, 5, 10, 20, 60, 180, 600];

export function createMetrics({
  stopwatch,
  lostLines,
}: {
  readonly stopwatch: () => number;
  /** Number of log lines that could not be written. */
  readonly lostLines: () => number;
}): Metrics {
  const requests = createCounter("charter_requests_total", "Requests answered.");
  const waits = createHistogram("charter_request_seconds", "Time until the response started.", requestSeconds);
  const turns = createCounter("charter_turns_total", "Turns that ended.");
  const lasted = createHistogram("charter_turn_seconds", "How long turns took.", turnSeconds);
  const tokens = createCounter("charter_model_tokens_total", "Tokens of models, as their providers count them.");
  // Series are looked up once for each combination of method, route and status: there are few.
  const ways = new Map<string, (seconds: number) => void>();
  const wayOf = ({ method, route, status }: Omit<RequestMetric, "ms">) => {
    const [count, seen] = [requests.of({ method, route, status: String(status) }), waits.of({ route })];
    return (seconds: number) => {
      count();
      seen(seconds);
    };
  };
  return {
    recordRequest: ({ ms, ...one }) => {
      const key = `${one.status} ${one.method} ${one.route}`;
      const way = ways.get(key) ?? wayOf(one);
      ways.set(key, way);
      way(ms / 1000);
    },
    watch: (host) => {
      const began = createBoundedMap<string, number>(maxBegun);
      // Callers choose a turn's channel, so only the names of known channels become labels.
      const known = new Set([...Object.keys(usualChannels), ...host.channels, "automaton", "none"]);
      return host.watch((event, { agent, channel: named = "none" }) => {
        const channel = known.has(named) ? named : "unknown";
        // A turn that failed before it began has no end either.
        if (event.kind === "turn-start") began.set(event.turn, stopwatch());
        if (event.kind !== "turn-end") return;
        const { state, usage } = event.outcome;
        const start = began.get(event.turn) ?? stopwatch();
        began.delete(event.turn);
        turns.of({ agent, channel, state })();
        lasted.of({ agent, channel })((stopwatch() - start) / 1000);
        for (const [kind, count] of Object.entries(usage)) if (count) tokens.of({ agent, kind })(count);
      });
    },
    text: async (host) => {
      const running = gauge("charter_turns_running", "Turns that run now, in this process.", [
        [{}, host.runningTurns()],
      ]);
      const known = [requests, waits, turns, lasted, tokens].flatMap((one) => one.lines());
      const lost = total("charter_log_lines_lost_total", "Lines of the log that could not be written.", lostLines());
      return [...known, ...lost, ...running, ...(await openWorkLines(host)), ""].join("\n");
    },
  };
}

/** Lines about open work in the store, to be answered, sent or run: counted when asked, for all processes that share it. */
async function openWorkLines({ store }: Host): Promise<string[]> {
  const open = await store.work.open();
  const of = (rows: readonly WorkCount[]) =>
    rows.map(({ agent, channel, count }) => [{ agent, channel }, count] as const);
  return [
    ...gauge("charter_updates_open", "Messages that came in and are not answered yet.", of(open.updates)),
    ...gauge("charter_dispatches_open", "Messages that are still to be sent.", of(open.dispatches)),
    ...gauge("charter_messages_open", "Messages in inboxes that are not answered yet.", of(open.messages)),
    ...gauge("charter_runs_open", "Runs of schedules that wait or run.", of(open.runs)),
  ];
}

type Labels = Readonly<Record<string, string>>;

/** A number that only grows, for each set of labels. */
type Counter = { readonly of: (labels: Labels) => (by?: number) => void; readonly lines: () => string[] };

/** Distribution of durations: how many took at most some seconds, for each set of labels. */
type Histogram = { readonly of: (labels: Labels) => (seconds: number) => void; readonly lines: () => string[] };

/**
 * Maximum number of label sets, of which operators and code make few. Should that ever go wrong, all further ones are counted
 * together, without labels.
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

/** Line of a counter that is kept elsewhere. */
function total(name: string, help: string, value: number): string[] {
  return [...header(name, help, "counter"), `${name} ${value}`];
}

/** Lines of a value as it is at this moment. */
export function gauge(name: string, help: string, values: readonly (readonly [Labels, number])[]): string[] {
  return [...header(name, help, "gauge"), ...values.map(([labels, value]) => `${name}${labelled(labels)} ${value}`)];
}

function createSeries<Value>(fresh: () => Value) {
  const known = new Map<string, readonly [Labels, Value]>();
  return {
    of: (labels: Labels): Value => {
      const series = known.has(labelled(labels)) || known.size < maxSeries ? labels : {};
      const key = labelled(series);
      const entry = known.get(key) ?? ([series, fresh()] as const);
      known.set(key, entry);
      return entry[1];
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
