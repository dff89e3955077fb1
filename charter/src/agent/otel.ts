import { splitModelName } from "../delivery/receiver.ts";
import { checkOptions, isBoolean, isObject, optional } from "../prompt/argument.ts";
import type { CacheTokens, Receipt } from "../prompt/receipt.ts";
import type { AgentEvent, TurnOutcome, Watcher } from "./turn-interface.ts";

type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** Span of `@opentelemetry/api`, as far as it is used: the package itself need not be there. */
type Span = {
  setAttribute(name: string, value: string | number | boolean): unknown;
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  addEvent(name: string, attributes: Attributes): unknown;
  end(): void;
};

type Tracer = {
  startSpan(name: string, options: { readonly kind: number; readonly attributes: Attributes }, parent: unknown): Span;
};

/** `context` and `trace` of `@opentelemetry/api`, and what the spans may hold besides names and numbers. */
export type TraceOptions = {
  readonly trace: { getTracer(name: string): Tracer; setSpan(parent: unknown, span: Span): unknown };
  readonly context: { active(): unknown };
  /** Users, by the names that the store has them by. None, unless given. */
  readonly people?: boolean;
  /** Inputs, replies, arguments and results of tools. None, unless given. */
  readonly words?: boolean;
};

type EventOf<Kind extends AgentEvent["kind"]> = Extract<AgentEvent, { readonly kind: Kind }>;

/** Open spans of a turn: itself, the request that is out, and calls that run. */
type OpenTurn = {
  readonly span: Span;
  readonly inside: unknown;
  chat: Span | undefined;
  readonly calls: Map<string, Span>;
};

/**
 * OpenTelemetry for turns: one span a turn (`invoke_agent`), one a request to the model (`chat`), one a call of a tool
 * (`execute_tool`), named as the conventions for generative AI say (version 1.45.0 of the OpenTelemetry semantic
 * conventions, in which they are experimental). What they have no name for is in `charter.*`. The span of a turn is a child
 * of the span that is active where the turn begins.
 */
export function traceTurns(options: TraceOptions): Watcher {
  checkOptions<TraceOptions>("traceTurns", options, {
    trace: [isObject, 'Give it from @opentelemetry/api: import { context, trace } from "@opentelemetry/api".'],
    context: [isObject, 'Give it from @opentelemetry/api: import { context, trace } from "@opentelemetry/api".'],
    people: optional([isBoolean, "Give true or false."]),
    words: optional([isBoolean, "Give true or false."]),
  });
  const { trace, context, people = false, words = false } = options;
  const tracer = trace.getTracer("charter");
  const open = new Map<string, OpenTurn>();

  const start = (name: string, attributes: Attributes, parent: unknown, kind = internalSpan) =>
    tracer.startSpan(name, { kind, attributes: known(attributes) }, parent);

  const startTurn = ({ turn, agent, user, channel, session, input }: EventOf<"turn-start">) => {
    const parent = context.active();
    const span = start(
      `invoke_agent ${agent}`,
      {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": session,
        "charter.turn": turn,
        "charter.channel": channel,
        "user.id": people ? user : undefined,
        "gen_ai.input.messages": words ? messageText({ role: "user" }, input) : undefined,
      },
      parent,
    );
    open.set(turn, { span, inside: trace.setSpan(parent, span), chat: undefined, calls: new Map() });
  };

  const told: { readonly [Kind in AgentEvent["kind"]]?: (turn: OpenTurn, event: EventOf<Kind>) => void } = {
    "step-start": (turn, { step, receipt, predicted, prefixChange }) => {
      // The step before had no answer: another model is asked, or less is sent.
      endWith(turn.chat, "no-answer");
      const name = nameOf(receipt.receiver ?? "");
      turn.span.setAttributes({ "gen_ai.provider.name": name.provider, "gen_ai.request.model": name.model });
      turn.chat = start(
        `chat ${name.model}`,
        {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": name.provider,
          "gen_ai.request.model": name.model,
          "gen_ai.request.max_tokens": receipt.answerTokens,
          "charter.step": step,
          "charter.prefix": prefixChange.how,
          ...receiptAttributes(receipt),
          ...predictedAttributes(predicted),
        },
        turn.inside,
        clientSpan,
      );
    },
    retry: (turn, { fault, attempt, waitMs }) => {
      turn.chat?.addEvent("retry", { "error.type": fault.code, "charter.attempt": attempt, "charter.wait_ms": waitMs });
    },
    "step-end": (turn, { finish, usage, cost }) => {
      turn.chat?.setAttributes(
        known({
          "gen_ai.response.finish_reasons": [finish],
          "gen_ai.usage.input_tokens": usage.input ?? undefined,
          "gen_ai.usage.output_tokens": usage.output ?? undefined,
          "gen_ai.usage.cache_read.input_tokens": usage.read ?? undefined,
          "gen_ai.usage.cache_creation.input_tokens": usage.written ?? undefined,
          "charter.cost": cost ?? undefined,
        }),
      );
      turn.chat?.end();
      turn.chat = undefined;
    },
    "tool-call": (turn, { call }) => {
      turn.calls.set(
        call.id,
        start(
          `execute_tool ${call.name}`,
          {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.call.arguments": words ? call.input : undefined,
          },
          turn.inside,
        ),
      );
    },
    "tool-result": (turn, { result }) => {
      const span = turn.calls.get(result.call);
      turn.calls.delete(result.call);
      if (words) span?.setAttribute("gen_ai.tool.call.result", result.output);
      endWith(span, result.failed ? "tool-failed" : undefined);
    },
    "tool-held": (turn, { call, held }) => {
      const span = turn.calls.get(call.id) ?? turn.span;
      span.addEvent("held", { "gen_ai.tool.name": call.name, "charter.held": held });
    },
    proposed: (turn, { section, outcome }) => {
      const revision = "revision" in outcome ? outcome.revision : undefined;
      const about = { "charter.section": section, "charter.verdict": outcome.verdict, "charter.revision": revision };
      turn.span.addEvent("proposed", known(about));
    },
    tainted: (turn) => void turn.span.setAttribute("charter.tainted", true),
    "model-changed": (turn, { from, to, code }) => {
      turn.span.addEvent("model-changed", { "error.type": code, "charter.from": from, "charter.to": to });
    },
    compacted: (turn, { turns, before, after }) => {
      turn.span.addEvent("compacted", { "charter.turns": turns, "charter.before": before, "charter.after": after });
    },
    notice: (turn, { notice }) => void turn.span.addEvent("notice", { "charter.code": notice.code }),
    "turn-end": (turn, { turn: id, outcome }) => {
      open.delete(id);
      endWith(turn.chat, outcome.problem?.code);
      for (const span of turn.calls.values()) endWith(span, outcome.problem?.code ?? "no-result");
      turn.span.setAttributes(outcomeAttributes(outcome, words));
      endWith(turn.span, outcome.problem?.code);
    },
  };

  return (event) => {
    if (event.kind === "turn-start") return startTurn(event);
    const turn = open.get(event.turn);
    if (turn) (told[event.kind] as ((turn: OpenTurn, event: AgentEvent) => void) | undefined)?.(turn, event);
  };
}

/** Numbers of the API's `SpanKind` and `SpanStatusCode`, so that none of its code is loaded. */
const internalSpan = 0;
const clientSpan = 2;
const errorStatus = 2;

function endWith(span: Span | undefined, code: string | undefined): void {
  if (!span) return;
  if (code !== undefined) {
    span.setAttribute("error.type", code);
    span.setStatus({ code: errorStatus });
  }
  span.end();
}

/** Sections with their revisions, what was cut, and digests: enough to find the request again, and no word of it. */
function receiptAttributes(receipt: Receipt): Attributes {
  const sections = receipt.slots.flatMap((slot) => slot.sections);
  return {
    "charter.name": receipt.charter,
    "charter.edition": receipt.edition,
    "charter.lock": receipt.lock,
    "charter.digests": receipt.slots.map(({ slot, digest }) => `${slot} ${digest}`),
    "charter.revisions": sections.flatMap(({ name, revision }) => (revision === null ? [] : [`${name}@${revision}`])),
    "charter.cuts": receipt.cuts.map(({ section, form, missing, unit }) => `${section}: ${form}, ${missing} ${unit}`),
  };
}

function predictedAttributes(predicted: CacheTokens | null): Attributes {
  if (!predicted) return {};
  const { read, written, fresh } = predicted;
  return {
    "charter.predicted.read": read,
    "charter.predicted.written": written,
    "charter.predicted.fresh": fresh,
  };
}

function outcomeAttributes(outcome: TurnOutcome, words: boolean): Attributes {
  const { usage, cost, steps, tainted, reply } = outcome;
  return known({
    "gen_ai.usage.input_tokens": usage.input ?? undefined,
    "gen_ai.usage.output_tokens": usage.output ?? undefined,
    "gen_ai.output.messages": words && reply !== null ? messageText({ role: "assistant" }, reply) : undefined,
    "charter.state": outcome.state,
    "charter.steps": steps,
    "charter.tainted": tainted,
    "charter.cost": cost ?? undefined,
  });
}

/** A message as the conventions write it. */
function messageText(who: { readonly role: string }, content: string): string {
  return JSON.stringify([{ ...who, parts: [{ type: "text", content }] }]);
}

/** Providers whose name in the conventions is not ours. */
const providers: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  google: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** A receiver's name in the words of the conventions. One without a provider is a server's own: it is both. */
function nameOf(receiver: string): { readonly provider: string; readonly model: string } {
  const { provider, model } = splitModelName(receiver);
  return { provider: providers[provider] ?? provider, model: model || provider };
}

/** Attributes that have a value. */
function known(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
