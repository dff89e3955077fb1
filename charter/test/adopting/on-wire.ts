import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { startRecorder } from "../../src/testing/strict/recorder.ts";
import type { Speech } from "../../src/testing/strict/speech.ts";
import { answerTo } from "../../src/testing/strict/whole-answer.ts";
import { key } from "../delivery/loopback.ts";

type RunOptions = { readonly command?: readonly string[]; readonly env?: Readonly<Record<string, string>> };

const fromSource = [process.execPath, "--conditions=charter-source"];

/** A program, run in its folder. Nothing of whoever runs the tests decides where its requests go. */
export async function runProgram(folder: string, file: string, { command = fromSource, env }: RunOptions = {}) {
  const [runtime = "", ...words] = [...command, join(folder, file)];
  // What was compiled for one program is compiled for all.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: folder, env: { PATH, NODE_COMPILE_CACHE, ...env } };
  return (await promisify(execFile)(runtime, words, options)).stdout;
}

type OnWireOptions = Pick<RunOptions, "command"> & { readonly version?: string; readonly said?: readonly Speech[] };
export type Traffic = { readonly stdout: string; readonly bodies: readonly Record<string, unknown>[] };

/**
 * A program whose models are all at a recorder, and what came there. The AI SDK wants the version in a base URL, as
 * OpenAI's own does; Anthropic's own adds it.
 */
export async function runOnWire(
  folder: string,
  file: string,
  { version = "/v1", said = [], ...how }: OnWireOptions = {},
): Promise<Traffic> {
  const recorder = await startRecorder({ answer: (asked, index) => answerTo(asked, said[index]) });
  try {
    const env = {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: `${recorder.url}${version}`,
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${recorder.url}/v1`,
    };
    const stdout = await runProgram(folder, file, { ...how, env });
    return { stdout, bodies: recorder.requests.map(({ body }) => JSON.parse(unmarked(body))) };
  } finally {
    await recorder.close();
  }
}

/** Signed reasoning goes back to Claude as it came, by a program that asks it twice. */
export async function expectThought(folder: string, file: string, version: string): Promise<void> {
  const { bodies } = await runOnWire(folder, file, { version, said: [{ thought: "Hm.", text: ["Hi."] }] });
  const { messages } = bodies[1] as { readonly messages: readonly unknown[] };
  expect(messages[1]).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "signed" },
      { type: "text", text: "Hi." },
    ],
  });
}

/** The session's mark is another each time. */
function unmarked(body: string): string {
  return body.replaceAll(/\[system [0-9a-f]{8}\]/g, "[system 29961d64]");
}
