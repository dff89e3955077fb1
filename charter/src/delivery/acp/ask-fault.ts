import { grouped } from "../../prompt/problem.ts";
import type { Fault } from "../model.ts";
import { abortedFault, redact } from "../models/fault.ts";
import type { PoolResult } from "./session/process-pool.ts";
import type { PromptEnd } from "./session/run-prompt.ts";
import { objectOf } from "./slot.ts";

/** Whose fault it is, and what of its configuration must never be repeated. */
export type FaultSource = { readonly name: string; readonly secrets: readonly string[] };

/** It could not be started, or went away before anything was sent to it: nothing is lost by trying again. */
export function startFault(result: Exclude<PoolResult<never>, { kind: "worked" }>, source: FaultSource): Fault {
  if (result.kind === "aborted") return abortedFault(source.name);
  if (result.kind === "full")
    return {
      code: "model-busy",
      message: `“${source.name}” was not started: as many agents as are allowed are at work.`,
      retry: true,
    };
  return { ...unreachable(result.why, result.tail, source), retry: result.lasting !== true };
}

export function unreachable(why: string, tail: string, { name, secrets }: FaultSource): Fault {
  const printed = tail === "" ? "" : ` It printed: ${tail}`;
  return { code: "model-unreachable", message: redact(`“${name}” ${why}.${printed}`, secrets), retry: true };
}

/** The agent would not open a session. What it says is wrong with the request will be wrong again. */
export function sessionFault(error: unknown, signIns: readonly string[], source: FaultSource): Fault {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  const said = typeof message === "string" ? message : "it did not say why";
  if (code === -32000) {
    const ways = signIns.length === 0 ? "" : ` It knows these ways: ${signIns.join(", ")}.`;
    return rejected(`“${source.name}” wants to be signed in to: ${said}.${ways} Name one as \`authenticate\`.`, source);
  }
  const details = objectOf((error as { readonly data?: unknown } | null)?.data).details;
  const whole = typeof details === "string" ? `${said}: ${details}` : said;
  if (code === -32602 || code === -32601 || code === -32600)
    return rejected(`“${source.name}” opened no session: ${whole}`, source);
  return unreachable(`opened no session: ${whole}`, "", source);
}

/** Too large to be sent. */
export function sizeFault(what: string, bytes: number, limit: number, source: FaultSource): Fault {
  const message = `${what} for “${source.name}” has ${grouped(bytes)} bytes, and its sizeLimit is ${grouped(limit)}.`;
  return rejected(message, source);
}

export function rejected(message: string, { secrets }: FaultSource): Fault {
  return { code: "model-rejected", message: redact(message, secrets), retry: false };
}

/** A prompt that was sent and brought no answer is never sent again: the agent's tools may have run. */
export function promptFault({ event, why, aborted }: PromptEnd, tail: string, source: FaultSource): Fault {
  if (aborted) return abortedFault(source.name);
  const printed = tail === "" || event.kind === "stopped" ? "" : ` It printed: ${tail}`;
  const fault = (code: Fault["code"], message: string): Fault => ({
    code,
    message: redact(`${message}${printed}`, source.secrets),
    retry: false,
  });
  const { name } = source;
  if (event.kind === "exited") return fault("model-cut", `“${name}” ${why} before it had answered.`);
  if (event.kind === "protocol-error") return fault("model-failed", `“${name}” ${why}, and was ended.`);
  if (event.kind === "timed-out") return abortedFault(name);
  if (event.kind === "failed") return fault("model-failed", `“${name}” failed: ${why}`);
  if (event.reason === "refusal") return fault("model-rejected", `“${name}” refused to answer.`);
  if (event.reason === "cancelled") return fault("model-cut", `“${name}” called its answer off.`);
  return fault("model-failed", `“${name}” failed: ${why || "it did not say why"}`);
}
