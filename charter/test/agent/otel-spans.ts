import { createServer } from "node:http";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { type TraceOptions, traceTurns } from "../../src/agent/otel.ts";
import { fromText } from "../../src/index.ts";
import { busy, calls, scripted } from "./model.ts";
import { amends, newStage, tool } from "./stage.ts";

/**
 * Prints spans of turns by the official SDK, as JSON. It is a program of its own: the ES modules of these packages are for bundlers,
 * and a test runner that asks for them cannot load them.
 */
export type Told = {
  /** Names of spans that arrived at a receiver on loopback, over OTLP, and all that came there. */
  readonly received: { readonly names: string[]; readonly bodies: string };
  readonly amended: {
    readonly turn: string;
    readonly session: string;
    readonly cost: number | null;
    readonly spans: ToldSpan[];
  };
  readonly silent: ToldSpan[];
  readonly loud: ToldSpan[];
  readonly failed: { readonly code: string | undefined; readonly spans: ToldSpan[] };
  readonly inside: { readonly outer: string; readonly spans: ToldSpan[] };
  /** All names and values of the conventions. */
  readonly conventions: string[];
};

export type ToldSpan = {
  readonly name: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly isError: boolean;
};

const canary = "canary-7f3a";
const person = "eva-canary";

function recorder() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const spans = (): ToldSpan[] =>
    exporter.getFinishedSpans().map((span) => ({
      name: span.name,
      id: span.spanContext().spanId,
      parent: span.parentSpanContext?.spanId,
      attributes: span.attributes,
      events: span.events.map(({ name, attributes = {} }) => ({ name, attributes })),
      isError: span.status.code === SpanStatusCode.ERROR,
    }));
  return { spans, options: optionsOf(provider), tracer: provider.getTracer("a program") };
}

function optionsOf(provider: BasicTracerProvider): TraceOptions {
  return { trace: { getTracer: (name) => provider.getTracer(name), setSpan: trace.setSpan }, context };
}

async function tell(): Promise<Told> {
  const stage = await newStage();
  try {
    const first = recorder();
    const amending = scripted([calls(["amend", { content: "- Be kind." }, "call-a"]), "Done."]);
    const agent = stage.agent(amending, { tools: [amends], on: traceTurns(first.options) });
    const { turn, session, cost } = await agent.runTurn({ input: "Be kind.", user: "eva" });
    const amended = { turn, session, cost, spans: first.spans() };

    const look = tool("look", () => `The sky says ${canary}.`, { harmless: true });
    stage.world.inbox = () => fromText(`Mail ${canary}.`, { source: canary });
    const saying = async (more: Partial<TraceOptions>) => {
      const { spans, options } = recorder();
      const model = scripted([calls(["look", { at: canary }, "call-b"]), `It is ${canary}.`]);
      const one = stage.agent(model, { tools: [look], on: traceTurns({ ...options, ...more }) });
      await one.runTurn({ input: `Say ${canary}.`, user: person, session: "new" });
      return spans();
    };
    const [silent, loud] = [await saying({}), await saying({ words: true, people: true })];

    const third = recorder();
    const refusing = scripted([busy({ code: "model-rejected", retry: false })]);
    const { problem } = await stage
      .agent(refusing, { on: traceTurns(third.options) })
      .runTurn({ input: "Hello.", user: "mia" });
    const failed = { code: problem?.code, spans: third.spans() };

    const fourth = recorder();
    const outer = fourth.tracer.startSpan("request");
    const active = trace.setSpan(context.active(), outer);
    const on = traceTurns({ ...fourth.options, context: { active: () => active } });
    await stage.agent(scripted(["Fine."]), { on }).runTurn({ input: "Hello.", user: "mia" });
    const inside = { outer: outer.spanContext().spanId, spans: fourth.spans() };

    const received = await overOtlp(async (options) => {
      const model = scripted([calls(["look", { at: canary }, "call-c"]), `It is ${canary}.`]);
      const one = stage.agent(model, { tools: [look], on: traceTurns(options) });
      await one.runTurn({ input: `Say ${canary}.`, user: person, session: "new" });
    });
    return { received, amended, silent, loud, failed, inside, conventions: Object.values(conventions).map(String) };
  } finally {
    await stage.close();
  }
}

async function overOtlp(work: (options: TraceOptions) => Promise<void>): Promise<Told["received"]> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` });
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  await work(optionsOf(provider));
  await provider.forceFlush();
  await provider.shutdown();
  server.closeAllConnections();
  server.close();
  const all = bodies.join("\n");
  return { names: [...all.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name as string), bodies: all };
}

if (import.meta.main) console.log(JSON.stringify(await tell()));
