import { describe, expect, test } from "vitest";
import type { UiChunk } from "../../../src/server/turns/ui-stream.ts";
import {
  call,
  chunksOf,
  draft,
  dropped,
  end,
  failed,
  messageOf,
  outcome,
  result,
  type Said,
  start,
  step,
  textOf,
  usage,
} from "./said-events.ts";

const metadata = {
  turn: "turn-1",
  session: "session-1",
  state: "answered",
  steps: 1,
  tainted: false,
  usage,
  cost: 0.25,
};

describe("a turn as a UI message stream", () => {
  test("an answer as it comes", () => {
    expect(chunksOf([start, step(1), draft("It is "), draft("sunny."), end()])).toEqual([
      { type: "start", messageId: "turn-1", messageMetadata: { turn: "turn-1", session: "session-1" } },
      { type: "start-step" },
      { type: "text-start", id: "text-1" },
      { type: "text-delta", id: "text-1", delta: "It is " },
      { type: "text-delta", id: "text-1", delta: "sunny." },
      { type: "text-end", id: "text-1" },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop", messageMetadata: metadata },
    ]);
  });

  test("an answer whose model streams nothing comes whole", async () => {
    const { message } = await messageOf(chunksOf([start, step(1), end()]));
    expect(message).toEqual({
      id: "turn-1",
      role: "assistant",
      metadata,
      parts: [{ type: "step-start" }, { type: "text", text: "It is sunny.", state: "done" }],
    });
  });

  test("a draft of a provider that failed is taken back, and the next one is the answer", async () => {
    const events = [start, step(1), draft("It is rai"), dropped, draft("It is sunny."), end()];
    const chunks = chunksOf(events);
    expect(chunks.map(({ type }) => type)).toEqual([
      ...["start", "start-step", "text-start", "text-delta", "reset-step", "data-dropped"],
      ...["text-start", "text-delta", "text-end", "finish-step", "finish"],
    ]);
    expect(textOf((await messageOf(chunks)).message)).toBe("It is sunny.");
  });

  test("words before a tool call are no answer: they stand beside it", async () => {
    const events = [
      ...[start, step(1), draft("Let me look."), call("c1"), result("c1", '{"sky":"blue"}')],
      ...[step(2), draft("It is sunny."), end({ ...outcome, steps: 2 })],
    ];
    const { message } = await messageOf(chunksOf(events));
    expect(textOf(message)).toBe("It is sunny.");
    expect(message?.parts).toEqual([
      { type: "step-start" },
      { type: "data-aside", data: { text: "Let me look." } },
      expect.objectContaining({
        type: "dynamic-tool",
        toolName: "look",
        toolCallId: "c1",
        state: "output-available",
        input: { city: "Rome" },
        output: { sky: "blue" },
        providerExecuted: true,
      }),
      { type: "step-start" },
      expect.objectContaining({ type: "text", text: "It is sunny." }),
    ]);
  });

  test("what was noticed in a step outlives the draft that is taken back", async () => {
    const notice: Said = { kind: "notice", notice: { code: "n", message: "Something." } };
    const { message } = await messageOf(chunksOf([start, step(1), notice, draft("Hm"), call("c1"), end()]));
    expect(message?.parts.filter(({ type }) => type === "data-notice")).toHaveLength(1);
  });

  test("a client that cannot take words back is given none before they are sure", async () => {
    const events = [
      ...[start, step(1), draft("Let me"), dropped, draft("Let me look."), call("c1"), result("c1", "ok")],
      ...[step(2), draft("It is sunny."), end()],
    ];
    const chunks = chunksOf(events, { drafts: "hold" });
    expect(chunks.map(({ type }) => type)).not.toContain("reset-step");
    expect(chunks.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", id: "text-1", delta: "It is sunny." },
    ]);
    expect(textOf((await messageOf(chunks)).message)).toBe("It is sunny.");
  });

  test("calls of one id in two steps are two calls", async () => {
    const again = [step(2), call("c1", "look", "no JSON"), result("c1", "It failed: no", true)];
    const { message } = await messageOf(chunksOf([start, step(1), call("c1"), result("c1", "one"), ...again, end()]));
    expect(message?.parts.filter(({ type }) => type === "dynamic-tool")).toEqual([
      expect.objectContaining({ toolCallId: "c1", state: "output-available", output: "one" }),
      expect.objectContaining({
        toolCallId: "c1#2",
        state: "output-error",
        errorText: "It failed: no",
        input: "no JSON",
      }),
    ]);
  });

  test("a turn that fails has no words left, says why, and which turn it was", async () => {
    const { message, errors } = await messageOf(chunksOf([start, step(1), draft("It is"), end(failed)]));
    expect(errors).toEqual(["Error: “m” is busy. Wait."]);
    expect(textOf(message)).toBe("");
    expect(message?.metadata).toMatchObject({ turn: "turn-1", session: "session-1", state: "failed", cost: 0.25 });
  });

  test("a turn that was stopped is aborted, not failed", () => {
    const failureOf = () => ({ message: "The turn was stopped.", stopped: true });
    const chunks = chunksOf([start, step(1), draft("It is"), end(failed)], { failureOf });
    expect(chunks.at(-1)).toEqual({ type: "abort", reason: "The turn was stopped." });
    expect(chunks.some(({ type }) => type === "error" || type === "finish")).toBe(false);
  });

  test("an answer that was cut says so", () => {
    const notices = [{ code: "answer-cut", message: "The answer reached the model's limit and stops there." }];
    expect(chunksOf([start, step(1), end({ ...outcome, notices })]).at(-1)).toMatchObject({ finishReason: "length" });
  });

  test("nothing is told after the end", () => {
    const chunks = chunksOf([start, step(1), end(), draft("more"), end()]);
    expect(chunks.filter(({ type }) => type === "finish" || type === "text-delta")).toHaveLength(2);
  });
});

describe("what happens besides", () => {
  const [before, after] = ["- Be brief.", "- Be brief.\n- Answer in French."];
  const amendment = { scope: { agent: "ada", user: "bo" } };
  const accepted = { verdict: "accepted", before, after, revision: 3 };
  const proposed = (settled: object, section = "instructions") =>
    ({ kind: "proposed", section, outcome: settled }) as Said;
  const parts = (event: Said, forOperator: boolean) =>
    chunksOf([start, step(1), event], { forOperator }).slice(2) as { data: Record<string, unknown> }[];

  test("an amendment, with what changed", () => {
    expect(parts(proposed({ ...accepted, amendment }), false)).toEqual([
      {
        type: "data-amendment",
        id: "instructions@3",
        data: { section: "instructions", revision: 3, diff: expect.stringContaining("+- Answer in French.") },
      },
    ]);
  });

  test("the agent's own words are shown to an operator, not to a user", () => {
    const own = proposed({ ...accepted, amendment: { scope: { agent: "ada" } } }, "goals");
    expect(parts(own, true)[0]?.data).toHaveProperty("diff");
    expect(parts(own, false)[0]?.data).toEqual({ section: "goals", revision: 3 });
  });

  test("a refusal with every reason, what changes nothing, and what is held with its id", () => {
    const refusals = [
      { guard: "size-limit", because: "Too long." },
      { guard: "no-override", because: "No." },
    ];
    expect(parts(proposed({ verdict: "refused", before, refusals }), false)).toEqual([
      { type: "data-refusal", data: { section: "instructions", refusals } },
    ]);
    expect(parts(proposed({ verdict: "unchanged", before, after: before, revision: 2 }), false)).toEqual([
      {
        type: "data-notice",
        data: { code: "unchanged", message: "“instructions” says exactly this already: nothing was changed." },
      },
    ]);
    expect(parts(proposed({ verdict: "held", before, after, refusals, held: "h1" }), false)).toEqual([
      { type: "data-held", id: "h1", data: { held: "h1", what: "proposal", section: "instructions", refusals } },
    ]);
    const held: Said = { kind: "tool-held", call: { id: "c", name: "send", input: '{"to":"x"}' }, held: "h2" };
    expect(parts(held, false)).toEqual([
      { type: "data-held", id: "h2", data: { held: "h2", what: "call", tool: "send", input: { to: "x" } } },
    ]);
  });

  test("an operator is told which tool of its own an agent used, and a user that one was, by its kind", () => {
    const use = { id: "read-/home/bo", title: "Read a.txt", kind: "read", paths: ["/home/bo/a.txt"], foreign: true };
    const own = (status: "pending" | "done", more: object = {}): Said => ({
      kind: "own-tool",
      use: { ...use, status, ...more },
    });
    const told = { title: use.title, kind: "read", paths: use.paths };
    expect(parts(own("pending"), true)).toEqual([
      { type: "data-own-tool", id: "own-1", data: { ...told, status: "pending" } },
    ]);
    expect(parts(own("done"), false)).toEqual([
      { type: "data-own-tool", id: "own-1", data: { kind: "read", status: "done" } },
    ]);
    expect(parts(own("done", { kind: "reads /home/bo" }), false)[0]?.data).toEqual({ kind: "other", status: "done" });
    const ids = chunksOf([start, step(1), own("pending"), own("pending", { id: "2" }), own("done"), end()])
      .filter(({ type }) => type === "data-own-tool")
      .map((chunk) => (chunk as { id?: string }).id);
    expect(ids).toEqual(["own-1", "own-2", "own-1"]);
  });

  test("a tool that changed its status stands once in the message, also when a draft before it is taken back", async () => {
    const use = { id: "a", title: "Read", kind: "read", paths: [], foreign: true };
    const own = (status: "pending" | "done"): Said => ({ kind: "own-tool", use: { ...use, status } });
    const chunks = chunksOf([start, step(1), draft("Let me."), own("pending"), own("done"), call("c"), end()]);
    const { message, errors } = await messageOf(chunks);
    expect(errors).toEqual([]);
    expect(message?.parts.filter(({ type }) => type === "data-own-tool")).toEqual([
      { type: "data-own-tool", id: "own-1", data: { title: "Read", kind: "read", status: "done", paths: [] } },
    ]);
    expect(textOf(message)).toBe("It is sunny.");
  });

  test("what is said before a call by who is still answering stays in the answer, around it; or goes, and the call stays", async () => {
    const looks: Said = { ...call("c"), answering: true } as Said;
    const reply = "Let me look.\n\nSunny.";
    const events = [start, step(1), draft("Let me look."), looks, result("c", "sun"), draft("\n\nSunny.")];
    const whole = chunksOf([...events, end({ ...outcome, reply })]);
    expect(whole.some(({ type }) => type === "reset-step" || type === "data-aside")).toBe(false);
    const seen = async (chunks: readonly UiChunk[]) =>
      (await messageOf(chunks)).message?.parts.map((part) => (part.type === "text" ? part.text : part.type));
    expect(await seen(whole)).toEqual(["step-start", "Let me look.", "dynamic-tool", "\n\nSunny."]);
    const other = chunksOf([...events, end({ ...outcome, reply: "It rains." })]);
    expect(await seen(other)).toEqual(["step-start", "dynamic-tool", "It rains."]);
    const stopped = chunksOf([...events, end(failed)]);
    expect(await seen(stopped)).toEqual(["step-start", "dynamic-tool"]);
    const held = chunksOf([...events, end({ ...outcome, reply })], { drafts: "hold" });
    expect(await seen(held)).toEqual(["step-start", "dynamic-tool", reply]);
  });

  test("what an agent asked leave for, and what it was told; held, it is asked about as any call is", () => {
    const input = { command: ["make"] };
    const asked = { id: "p", title: "make", kind: "execute", paths: ["/srv"], input, policy: "deny" } as const;
    const answered: Said = { kind: "permission", asked, answer: "deny" };
    expect(parts(answered, true)).toEqual([
      {
        type: "data-permission",
        data: { answer: "deny", kind: "execute", asks: "asks to run: make", title: "make", paths: ["/srv"] },
      },
    ]);
    expect(parts(answered, false)).toEqual([{ type: "data-permission", data: { answer: "deny", kind: "execute" } }]);
    const kept = { kind: "execute", title: "make", paths: [], input };
    const call = { id: "p", name: "acp:execute", input: JSON.stringify(kept) };
    const tool = { tool: "acp:execute", input: kept, asks: "asks to run: make" };
    expect(parts({ kind: "tool-held", call, held: "h3" }, false)).toEqual([
      { type: "data-held", id: "h3", data: { held: "h3", what: "call", ...tool } },
    ]);
  });

  test("what is wrong with the house is the operator's to know", () => {
    const retry: Said = {
      kind: "retry",
      fault: { code: "model-busy", message: "key sk-1 is over its quota", retry: true },
      attempt: 1,
      waitMs: 500,
    };
    const notice: Said = { kind: "notice", notice: { code: "source-unavailable", message: "/etc/x" } };
    const hook: Said = { kind: "hook-failed", hook: "h", moment: "input", reason: "at /srv/x" };
    expect(parts(retry, true)[0]?.data).toEqual({ attempt: 2, waitMs: 500, because: "key sk-1 is over its quota" });
    expect(parts(retry, false)).toEqual([{ type: "data-retry", transient: true, data: { attempt: 2, waitMs: 500 } }]);
    expect([parts(notice, true).length, parts(notice, false).length]).toEqual([1, 0]);
    expect([parts(hook, true).length, parts(hook, false).length]).toEqual([1, 0]);
  });

  test("a user is not shown the prompt through a tool's result", () => {
    const held = proposed({ verdict: "held", before, after, refusals: [], held: "h1" }, "goals");
    const told = JSON.stringify({ verdict: "held", section: "goals", says: "Wait.", diff: "-secret" });
    const outputs = (events: Said[], forOperator: boolean) =>
      chunksOf([start, step(1), ...events], { forOperator }).flatMap((one) => ("output" in one ? [one.output] : []));
    expect(outputs([call("c1", "amend"), held, result("c1", told, false, "amend")], false)).toEqual([
      { verdict: "held", section: "goals", says: "Wait." },
    ]);
    expect(outputs([call("c1", "read_prompt"), result("c1", "SECRET", false, "read_prompt")], false)).toEqual([
      { withheld: true },
    ]);
    expect(outputs([call("c1", "read_prompt"), result("c1", "SECRET", false, "read_prompt")], true)).toEqual([
      "SECRET",
    ]);
    const own = proposed({ ...accepted, amendment });
    expect(outputs([call("c1"), own, result("c1", '{"verdict":"accepted","diff":"+x"}')], false)).toEqual([
      { verdict: "accepted", diff: "+x" },
    ]);
  });
});
