import { basename } from "node:path";
import { runInNewContext } from "node:vm";
import { build } from "vite";
import { expect, test } from "vitest";
import { sha256 } from "../../src/store/texts/packing.ts";

/**
 * `charter` and `charter/delivery` in one bundle for a runtime that is not Node (Cloudflare, Vercel, Deno, a browser): it
 * asks for no module, and a conversation is delivered, sent, read and gone on with there.
 */
const doors = ["src/index.ts", "src/delivery/index.ts"].map((path) => `${import.meta.dirname}/../../${path}`);
const program = `
  import { assemble, defineCharter, gather } from "${doors[0]}";
  import { deliver, faultFrom, fromAnthropic, modelOf, receiverOf, toAnthropic } from "${doors[1]}";
  export * from "${doors[1]}";

  export async function talk(sha256) {
    const law = { name: "law", heading: "# Law", words: "Harm no one." };
    const charter = defineCharter({ name: "edge", layers: [{ name: "law", mutability: "fixed", sections: [law] }] });
    const receiver = receiverOf("anthropic/claude-sonnet-5-5");
    const prompt = assemble(charter, await gather(charter, { now: "2026-11-18T00:00:00Z", tools: [], standing: {} }));
    const session = { charter, receiver, prompt, sha256, secret: "of this session" };
    const { request, baseline, history } = deliver({ ...session, added: [{ role: "user", text: "Hello." }] });
    const content = [{ type: "thinking", thinking: "Hm.", signature: "signed" }, { type: "text", text: "Hi." }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const { text, calls, native } = fromAnthropic({ content, stop_reason: "end_turn", usage }, receiver);
    const past = [...history, { role: "assistant", text, calls, native }];
    const added = [{ role: "user", text: "And now?" }];
    const next = deliver({ ...session, baseline, past, added, sent: history.length });
    const stream = async () => { throw new TypeError("fetch failed"); };
    const language = { specificationVersion: "v4", provider: "anthropic.messages", modelId: "one", doStream: stream };
    const asked = await modelOf(language).ask(request, { signal: new AbortController().signal });
    return {
      first: toAnthropic(request, receiver),
      messages: toAnthropic(next.request, receiver).messages,
      faults: [asked.fault.code, faultFrom(new TypeError("fetch failed"), receiver).code],
    };
  }
`;

test("the door charter/delivery is bundled without a module of Node, and runs without Node", async () => {
  const bundle = await bundled();
  // What it wanted from outside would be given to it here.
  expect(bundle).toMatch(/^var edge = \(function\(exports\) \{/);
  expect(bundle).not.toMatch(/\b(?:import|require)\(["'`]/);
  const runtime = { TextEncoder, AbortController, AbortSignal, URL, Headers, ReadableStream, TransformStream, crypto };
  const { talk } = runInNewContext(`${bundle};edge`, { ...runtime });
  const mark = { cache_control: { type: "ephemeral" } };
  const told = await talk(sha256);
  expect(JSON.parse(JSON.stringify(told))).toEqual({
    first: {
      system: [{ type: "text", text: "# Law\nHarm no one.", ...mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello.", ...mark }] }],
    },
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello.", ...mark }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "signed" },
          { type: "text", text: "Hi." },
        ],
      },
      { role: "user", content: [{ type: "text", text: "And now?", ...mark }] },
    ],
    faults: ["model-unreachable", "model-unreachable"],
  });
});

async function bundled(): Promise<string> {
  const entry = "\0edge";
  const result = await build({
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "edge",
        resolveId: (id) => (basename(id) === "edge" ? entry : undefined),
        load: (id) => (id === entry ? program : undefined),
      },
    ],
    build: {
      write: false,
      minify: false,
      lib: { entry: "edge", formats: ["iife"], name: "edge" },
      rolldownOptions: { external: [/^node:/], output: { codeSplitting: false } },
    },
  });
  const [{ output } = { output: [] }] = [result].flat() as { output: readonly { code?: string }[] }[];
  expect(output.length).toBe(1);
  return output[0]?.code ?? "";
}
