import fc from "fast-check";
import type { Message, Model, ModelRequest } from "../../src/delivery/model.ts";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { bytesOf, calls, type Line, scripted } from "../agent/model.ts";
import { tool } from "../agent/stage.ts";

// Sessions with a provider whose window is narrow, and who counts otherwise than we do.

/** One turn: how much is said, by which process, and what its model calls, step by step, with so long results. */
export type NarrowTurn = {
  /** How long its input is, in halves of a window. */
  readonly input: number;
  readonly process: number;
  readonly results: readonly (readonly number[])[];
  /** It reads on in what was shortened, once. */
  readonly readsOn: boolean;
};

export type NarrowSession = {
  readonly window: number;
  /** So many tokens the provider counts where we count one. */
  readonly skew: number;
  /** We know the window; where we do not, a fault may say it. */
  readonly known: boolean;
  readonly saysWindow: boolean;
  /** Characters of each summary. */
  readonly summary: number;
  readonly turns: readonly NarrowTurn[];
};

const resultLength = fc.oneof(fc.nat(400), fc.nat(8000), fc.nat(60_000));

export const narrowSessions: fc.Arbitrary<NarrowSession> = fc.record({
  window: fc.integer({ min: 2000, max: 20_000 }),
  skew: fc.oneof(fc.double({ min: 0.7, max: 1.3, noNaN: true }), fc.constantFrom(0.7, 1, 1.3)),
  known: fc.boolean(),
  saysWindow: fc.boolean(),
  summary: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 20_000 })),
  turns: fc.array(
    fc.record({
      input: fc.oneof(
        { weight: 8, arbitrary: fc.double({ min: 0, max: 0.1, noNaN: true }) },
        { weight: 8, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
        { weight: 3, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.double({ min: 1, max: 2.4, noNaN: true }) },
      ),
      process: fc.nat(1),
      results: fc.array(fc.array(resultLength, { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
      readsOn: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

/** What the provider saw: a request, how long it was by its own count, and what became of it. */
export type Seen = {
  readonly request: ModelRequest;
  readonly tokens: number;
  readonly kind: "step" | "summary";
  readonly refused: boolean;
};

const estimate = await loadTokenizer("estimate");

/** How many tokens we count in all the words of a request. */
function countOf({ tools, system, messages }: ModelRequest): number {
  const said = messages.map((one) => {
    if (one.role === "tool") return one.results.map(({ output }) => output).join("");
    return one.role === "assistant" ? one.text + one.calls.map(({ name, input }) => name + input).join("") : one.text;
  });
  return estimate.count([JSON.stringify(tools), ...system.map(({ text }) => text), ...said].join("\n"));
}

/** What stays of a request whatever is summed up, by whoever of us counts more. */
export function leastOf(request: ModelRequest, input: string, { skew }: NarrowSession): number {
  const words: readonly Message[] = [{ role: "user", text: input }];
  return countOf({ ...request, messages: [...words, ...request.messages.slice(-1)] }) * Math.max(1, skew);
}

export function inputOf(session: NarrowSession, index: number): string {
  const { input } = session.turns[index] as NarrowTurn;
  const head = `Turn ${index}.`;
  return `${head}${" word".repeat(Math.max(0, Math.floor((input * session.window) / 2) - 8))}`;
}

/** The provider, as a model; what it saw is kept. */
export function narrowProvider(session: NarrowSession) {
  const seen: Seen[] = [];
  const made = new Map<number, number>();
  const readOn = new Set<number>();
  const refuse = (): Line => ({
    fault: {
      code: "model-rejected",
      message: "The prompt is too long.",
      retry: false,
      tooLong: session.saysWindow ? { window: session.window } : {},
    },
  });
  const line: Line = (request) => {
    const tokens = Math.ceil(countOf(request) * session.skew);
    const kind = bytesOf(request).includes("Write down what was said so far, for yourself") ? "summary" : "step";
    const refused = tokens > session.window;
    seen.push({ request, tokens, kind, refused });
    if (refused) return refuse();
    const usage = { input: tokens, read: 0, written: 0, output: 10 };
    if (kind === "summary")
      return { text: "So it was. ".repeat(Math.ceil(session.summary / 11)).slice(0, session.summary), usage };
    const input = request.messages.findLast((one) => one.role === "user" && one.text.startsWith("Turn "));
    const index = Number(/^Turn (\d+)/.exec((input as { text: string }).text)?.[1]);
    const turn = session.turns[index] as NarrowTurn;
    const last = request.messages.findLast(({ role }) => role === "tool");
    const more = last?.role === "tool" && /read_result (\{.*\}) reads on/.exec(last.results.at(-1)?.output ?? "")?.[1];
    if (turn.readsOn && more && !readOn.has(index)) {
      readOn.add(index);
      return { ...calls(["read_result", JSON.parse(more)]), usage };
    }
    const step = made.get(index) ?? 0;
    made.set(index, step + 1);
    const lengths = turn.results[step];
    if (!lengths) return { text: `Answer ${index}.`, usage };
    return { ...calls(...lengths.map((length): [string, object] => ["page", { length }])), usage };
  };
  const model = scripted([line], { window: session.known ? session.window : null });
  const page = tool("page", ({ length }) =>
    "A line of the page, as long as many.\n".repeat(2000).slice(0, Number(length)),
  );
  return { model: { ...model, address: `http://narrow/${crypto.randomUUID()}` } as typeof model & Model, page, seen };
}

/** Calls and results that are not paired, in words. */
export function unpaired({ messages }: ModelRequest): string[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1];
    const after = messages[index + 1];
    const ids = (one: Message | undefined) =>
      (one?.role === "assistant" ? one.calls.map(({ id }) => id) : []).join(" ");
    const results = (one: Message | undefined) =>
      (one?.role === "tool" ? one.results.map(({ call }) => call) : []).join(" ");
    if (message.role === "tool" && results(message) !== ids(before)) return [`results without calls at ${index}`];
    if (message.role === "assistant" && ids(message) !== results(after)) return [`calls without results at ${index}`];
    return [];
  });
}
