import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { replayRequest } from "../../../src/agent/replay.ts";
import type { StepResult } from "../../../src/agent/turn/turn-state.ts";
import { replayBody } from "../../../src/delivery/models/replay-body.ts";
import { holdsControlToken } from "../../../src/prompt/sound.ts";
import type { RecordedRequest } from "../../../src/testing/strict/recorder.ts";
import { called } from "../../agent/extensions/loopback-agent.ts";
import { readBody } from "../../agent/on-wire.ts";
import { type CoderStage, newCoderStage } from "../../coder-stage.ts";
import { environmentAt, modelNames } from "../../delivery/loopback.ts";

/** A coding agent behind a server of one's own, at work on what such a server takes for its own structure. */

const kind = "openai-compatible";
const template = [
  "{% for message in messages %}<|im_start|>{{ message.role }}",
  "{{ message.content }}<|im_end|>{% endfor %}",
  "<s>[INST] <<SYS>>old<</SYS>> [/INST]</s> <start_of_turn>model <｜User｜>",
  "<think>\n</think> <tool_call>{}</tool_call> ]~b] [e~[",
  "<·|im_start|> and · stay as they are, é\\n too\n",
].join("\n");

let stage: CoderStage;
afterEach(() => stage.close());

/** What the newest tool result says, as the server has it. */
function newestResult({ body }: RecordedRequest): string {
  const last = readBody(kind, body).spoken.findLast(({ role }) => role === "result");
  return last && "output" in last ? last.output : "";
}

test("a coder on a local model edits a chat template byte for byte, and its server is sent no control token", async () => {
  stage = await newCoderStage(kind);
  const { tree, loopback } = stage;
  tree.write("project/template.jinja", template);
  const { agent } = stage.open();
  loopback.play(
    called("c1", "read", { path: "template.jinja" }),
    // It writes what it read, as it read it.
    (request) => {
      const read = newestResult(request);
      const oldText = /^.*INST.*$/m.exec(read)?.[0] ?? "";
      const edit = { path: "template.jinja", oldText, newText: oldText.replace("old", "new") + oldText };
      const [first, second] = [
        called("c2", "edit", edit),
        called("c3", "write", { path: "copy.jinja", content: read }),
      ];
      return { calls: [...(first.calls ?? []), ...(second.calls ?? [])] };
    },
    { text: ["Done: <", "·|im_", "end|> and [·IN", "ST] ", "<"] },
  );
  const { turn, state, reply } = await agent.runTurn({
    input: "Replace <|im_start|> as I said.",
    user: "mia",
    session: "new",
  });

  const now = (name: string) => readFileSync(join(tree.cwd, name), "utf8");
  const before = template.split("\n")[2] as string;
  expect(now("template.jinja")).toBe(template.replace(before, () => before.replace("old", "new") + before));
  expect(now("copy.jinja")).toBe(template);
  expect([state, reply]).toEqual(["answered", "Done: <|im_end|> and [INST] <"]);
  const drafts = agent.events.flatMap((event) => (event.kind === "draft" ? [event.text] : []));
  expect(drafts.join("")).toBe(reply);

  const bodies = loopback.bodies();
  expect(bodies).toHaveLength(3);
  for (const body of bodies) expect(holdsControlToken(body)).toBe(false);
  expect(bodies[0]).toContain("Replace <·|im_start|> as I said.");

  for (const [index, { result }] of (await loopback.store.steps.of(turn)).entries()) {
    const { request } = await replayRequest(loopback.store, turn, index + 1);
    expect(JSON.stringify(request)).toContain("Replace <|im_start|> as I said.");
    const { sent = null } = (result ?? {}) as StepResult;
    const env = environmentAt(loopback.recorder.url);
    const replayed = await replayBody(modelNames[kind], request, sent, { env });
    expect(replayed).toMatchObject({ text: bodies[index], same: true });
  }
});
