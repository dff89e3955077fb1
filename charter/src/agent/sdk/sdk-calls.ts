import { aiSdkMessages } from "../../delivery/converters/ai-sdk.ts";
import type { ToolCall, ToolOffer, ToolResult } from "../../delivery/model.ts";
import type { Tool } from "../tool.ts";
import { type AiTool, finalOutput, shownOutput, type ToolOfOptions, toolOf } from "../toolset.ts";
import type { OpenTurn } from "../turn/open-turn.ts";

/** A call that the SDK is waiting for: the options it gives a tool beside the input, and the tool's output. */
type CallInSdk = { readonly options: object; output?: { readonly value: unknown } };

/** The calls that run now, by turn and call. */
export type CallsInSdk = Map<string, Map<string, CallInSdk>>;

/** Wraps a tool of the AI SDK for a turn: its output is kept for the SDK, as it is. */
export function turnTool(name: string, tool: AiTool, more: ToolOfOptions, live: CallsInSdk): Tool {
  const run: Tool<unknown>["run"] = async (input, { turn, call, messages, signal }) => {
    const inSdk = live.get(turn)?.get(call);
    const options = { ...inSdk?.options, toolCallId: call, messages: aiSdkMessages(messages), abortSignal: signal };
    // Called as a method, since it may use `this`.
    const execute = tool.execute as (input: unknown, options: object) => unknown;
    const value = await finalOutput(execute.call(tool, input, options));
    if (inSdk) inSdk.output = { value };
    return shownOutput(tool, { call, input }, value);
  };
  return { ...toolOf(name, tool, more), run: run as Tool["run"] };
}

/** The tools the SDK is given, and the order in which their calls run. */
export type AiCalls = ReturnType<typeof createCalls>;

type CallsOptions = {
  readonly turn: OpenTurn;
  readonly given: Readonly<Record<string, object>>;
  /** The turn's other tools. */
  readonly offers: readonly ToolOffer[];
  /** Names of the tools whose calls run side by side. */
  readonly readers: ReadonlySet<string>;
  readonly live: CallsInSdk;
};

/**
 * Wraps the tools for the SDK, which runs the calls of an answer at once. Here each waits until the answer is recorded, and for
 * those the SDK asked for before it: one call's result may taint the next. The turn runs a call, once; the SDK gets the tool's
 * output, or an error where the call was refused or is held.
 */
export function createCalls({ turn, given, offers, readers, live }: CallsOptions) {
  const inSdk = new Map<string, CallInSdk>();
  live.set(turn.id, inSdk);
  let made = newCalls();
  let open: ToolCall[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  let reading: Promise<unknown>[] = [];

  const inOrder = (call: ToolCall): Promise<ToolResult> => {
    const before = readers.has(call.name) ? writing : Promise.allSettled([writing, ...reading]);
    const ran = before.then(() => turn.run(call));
    const settled = ran.catch(() => {});
    if (readers.has(call.name)) reading.push(settled);
    else {
      writing = settled;
      reading = [];
    }
    return ran;
  };
  const execute = async (id: string, options: object): Promise<unknown> => {
    await made.promise;
    const call = open.find((one) => one.id === id);
    if (!call) throw new Error(`The call “${id}” is none of the answer on record.`);
    open = open.filter((one) => one !== call);
    const about: CallInSdk = { options };
    inSdk.set(id, about);
    const { output, failed } = await inOrder(call);
    if (about.output) return about.output.value;
    if (failed) throw new Error(output);
    return output;
  };
  const wrapped = (tool: object) => ({
    ...tool,
    execute: (_input: unknown, options: { readonly toolCallId: string }) => execute(options.toolCallId, options),
  });
  const own = Object.entries(given).map(([name, tool]) => [name, isProviders(tool) ? tool : wrapped(tool)]);
  const others = offers
    .filter(({ name }) => !Object.hasOwn(given, name))
    .map(({ name, description, input }) => [
      name,
      wrapped({ type: "dynamic", description, inputSchema: anySchema(input) }),
    ]);
  const idle = () => Promise.allSettled([writing, ...reading]);
  return {
    tools: Object.fromEntries([...own, ...others]) as Readonly<Record<string, object>>,
    names: new Set(Object.keys(given)),
    /** Prepares for an answer: calls in it wait until it is recorded. */
    expect: () => {
      made = newCalls();
    },
    answered: (calls: readonly ToolCall[]) => {
      open = [...calls];
      made.resolve();
    },
    drop: (error: unknown) => made.reject(error),
    /** Waits for running calls, and records each call that the SDK did not run as such. */
    settle: async () => {
      await idle();
      for (const call of open.splice(0)) {
        const { verdict } = await turn.before(call);
        if (verdict === "run") await turn.result(call.id, { error: "The AI SDK did not run it." });
      }
    },
  };
}

/** Makes a promise that is kept when the next answer's calls are recorded. */
function newCalls() {
  const made = Promise.withResolvers<void>();
  made.promise.catch(() => {});
  return made;
}

export function isProviders(tool: object): boolean {
  const { type } = tool as { readonly type?: unknown };
  return type === "provider" || type === "provider-defined";
}

/**
 * Makes a schema that accepts everything, since the turn checks what a model writes. It hands out copies: the SDK changes the
 * JSON Schema it is given.
 */
export function anySchema(schema: ToolOffer["input"]) {
  const copy = () => structuredClone(schema);
  const jsonSchema = { input: copy, output: copy };
  return { "~standard": { version: 1, vendor: "charter", validate: (value: unknown) => ({ value }), jsonSchema } };
}
