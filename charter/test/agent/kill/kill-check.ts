import type { Message, ModelRequest, ToolCall, ToolResult } from "../../../src/delivery/index.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { type AmendmentEntry, type Step, type Store, type Turn, verifyStore } from "../../../src/store/index.ts";
import { callsOf, type Happened, isSummary, name, replyTo, stepMicros, toldCalls, toldInputs } from "./kill-agent.ts";

/** A turn, and what its steps came to: all of it as another process finds it. */
export type FoundTurn = { readonly turn: Turn; readonly calls: readonly ToolCall[]; readonly results: Results };
type Results = ReadonlyMap<string, ToolResult>;
type Recorded = {
  readonly answer?: { readonly calls: readonly ToolCall[] };
  readonly results?: readonly ToolResult[];
  readonly summary?: string;
};

export async function findTurn(store: Store, turn: Turn): Promise<FoundTurn> {
  const steps = (await store.steps.of(turn.id)).map(recordedIn);
  const results = steps.flatMap((came) => came.results ?? []);
  return {
    turn,
    calls: steps.flatMap((came) => came.answer?.calls ?? []),
    results: new Map(results.map((result) => [result.call, result])),
  };
}

function recordedIn({ result }: Step): Recorded {
  return (result ?? {}) as Recorded;
}

/** What a turn left behind that does not fit together, in words. */
export function findTurnFaults({ turn, calls, results }: FoundTurn, happened: readonly Happened[]): string[] {
  const faults: string[] = [];
  const fault = (what: string) => faults.push(`${what}: ${turn.id} (${turn.state})`);
  const own = happened.filter((one) => one.turn === turn.id);
  const intended = new Set(calls.map(({ id }) => id));
  for (const [call, times] of Map.groupBy(own, (one) => one.call)) {
    if (times.length > 1) fault(`the effect of ${call} happened ${times.length} times`);
    if (!intended.has(call)) fault(`${call} had an effect and no intent`);
  }
  const effects = new Set(own.map(({ call }) => call));
  for (const [call, { failed }] of results)
    if (!failed && !effects.has(call)) fault(`${call} has a result and no effect`);
  if (turn.state === "running") fault("nobody works on it, and it counts as running");
  if (turn.state !== "answered") return faults;
  const expected = callsOf(turn.input).flat();
  if (turn.reply !== replyTo(turn.input)) fault(`its reply is “${turn.reply}”`);
  if ([...intended].join() !== expected.join()) fault(`its calls are ${[...intended]}`);
  if (expected.some((call) => !results.has(call))) fault("a call of it has no result");
  return faults;
}

/** An amendment is there with its acknowledgement, each once; what was acknowledged is there. */
export async function findAmendmentFaults(
  store: Store,
  user: string,
  turns: readonly FoundTurn[],
  happened: readonly Happened[],
): Promise<string[]> {
  const entries = Map.groupBy(await wishesOf(store, user), (entry) => entry.turn);
  const unheard = await store.home.read("everything", (db) =>
    db.all<{ turn: string }>(sql`select a.turn from amendments a left join events e on e.kind = 'amended'
      and e.user_id = a.user_id and e.turn = a.turn where a.user_id = ${user} and e.id is null`),
  );
  const faults = unheard.map(({ turn }) => `amended: ${turn} made an amendment without its event`);
  for (const { turn, results } of turns) {
    const made = entries.get(turn.id) ?? [];
    if (made.length > 1) faults.push(`amended: ${turn.id} amended ${made.length} times in one call`);
    const told = happened.find((one) => one.did === "amended" && one.turn === turn.id);
    if (told?.did === "amended" && made[0]?.digest !== told.digest)
      faults.push(`amended: revision ${told.revision} of ${turn.id} was acknowledged and is not there`);
    const result = results.get(`${turn.input}/amend`);
    if (result?.output.includes("accepted") && made.length === 0)
      faults.push(`amended: ${turn.id} was told that it amended, and nothing is there`);
  }
  return faults;
}

/** All amendments of a user's wishes, newest first. */
export async function wishesOf(store: Store, user: string): Promise<AmendmentEntry[]> {
  const entries: AmendmentEntry[] = [];
  for (let before: number | undefined; ; ) {
    const page = { limit: 1000, ...(before === undefined ? {} : { before }) };
    const more = await store.history.list({ agent: name, user }, "wishes", page);
    entries.push(...more);
    before = more.at(-1)?.revision;
    if (before === undefined) return entries;
  }
}

/** Every step that has an answer on record was paid for once, whatever became of its turn. */
export async function findSpendingFaults(store: Store, turns: readonly FoundTurn[]): Promise<string[]> {
  let paid = 0;
  const days = new Set<string>();
  for (const { turn } of turns) {
    for (const step of await store.steps.of(turn.id)) {
      const { answer, summary } = recordedIn(step);
      // An empty one was asked for, and has not come.
      if (answer || summary) paid += stepMicros;
    }
    for (const at of [turn.startedAt, turn.endedAt]) if (at !== null) days.add(at.slice(0, 10));
  }
  let spent = 0;
  for (const day of days) spent += (await store.spending.of({ agent: name, day })).agent.micros;
  return spent === paid ? [] : [`spent: ${spent} millionths of a dollar are on the books, ${paid} were paid`];
}

export async function findChainFaults(store: Store): Promise<string[]> {
  const { faults, further, orphans } = await verifyStore(store.home);
  const wrong = faults.map((fault) => `verify: ${JSON.stringify(fault)}`);
  return further > 0 || orphans > 0 ? [...wrong, `verify: ${further} more faults, ${orphans} orphans`] : wrong;
}

/** What a request's history tells of the calls of a turn that was asked this: whether it is known what came of them. */
export function toldOf(request: ModelRequest, input: string): { readonly call: string; readonly known: boolean }[] {
  return toldCalls(request)
    .filter(({ call }) => callsOf(input).flat().includes(call))
    .map(({ call, output }) => ({ call, known: !output.startsWith("The turn was interrupted before this call") }));
}

/** Whether a request is one that a provider takes and that tells everything once: if not, in words. */
export function findRequestFaults(request: ModelRequest): string[] {
  const { messages } = request;
  const idsOf = (message: Message | undefined) => {
    if (message?.role === "assistant") return message.calls.map(({ id }) => id).join();
    return message?.role === "tool" ? message.results.map(({ call }) => call).join() : "";
  };
  const unpaired = messages.flatMap((message, index) => {
    const beside = { assistant: index + 1, tool: index - 1 }[message.role as string];
    const isPaired = beside === undefined || idsOf(messages[beside]) === idsOf(message) || idsOf(message) === "";
    return isPaired ? [] : [`request: the calls and results of message ${index} are not paired`];
  });
  const calls = toldCalls(request).map(({ call }) => `call ${call}`);
  // The input of a turn that was summed up while it ran is among the summed up as well.
  const inputs = toldInputs({ ...request, messages: messages.filter((one) => !isSummary(one)) });
  const twice = [...calls, ...inputs].filter((one, index, all) => all.indexOf(one) !== index);
  return [...unpaired, ...twice.map((one) => `request: it has ${one} twice`)];
}
