import { type Advertisement, objectOf, readInitialize } from "../slot.ts";
import type { AgentProcess } from "./agent-process.ts";
import { withinLimit } from "./within-limit.ts";

/** What an agent that is ready said, or why it is not, in words that finish “the agent …”. */
type InitializeResult =
  | { readonly advertised: Advertisement; readonly answer: unknown; readonly failure?: undefined }
  | { readonly failure: { readonly why: string; readonly aborted?: true }; readonly advertised?: undefined };

type Limits = { readonly milliseconds: number; readonly signal: AbortSignal };

const info = { name: "charter", title: "Charter", version: "1" };

/**
 * Asks an agent for the newest version of the protocol, in the words of both: one that knows only the first answers with
 * that. One that will hear nothing of another version is asked once more, in its own. We offer no files and no terminal.
 * With `only`, it is asked for this version alone.
 */
export async function initialize(agent: AgentProcess, limits: Limits, only?: 1 | 2): Promise<InitializeResult> {
  const first = { clientCapabilities: {}, clientInfo: info };
  if (only !== 1) {
    const newest = await ask(agent, { ...first, protocolVersion: 2, capabilities: {}, info }, limits);
    if (!newest.refused || only === 2) return newest.result;
  }
  return (await ask(agent, { ...first, protocolVersion: 1 }, limits)).result;
}

async function ask(
  agent: AgentProcess,
  params: Readonly<Record<string, unknown>>,
  limits: Limits,
): Promise<{ readonly result: InitializeResult; readonly refused?: true }> {
  const id = `initialize-${params.protocolVersion}`;
  const { promise: answered, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  agent.listen((message) => {
    if (message.id === id && !("method" in message)) resolve(message);
  });
  const failure = (why: string) => ({ result: { failure: { why } } });
  agent.send({ jsonrpc: "2.0", id, method: "initialize", params }).catch(() => {});
  const waited = await withinLimit(Promise.race([answered, agent.ended]), limits);
  if (waited.kind === "aborted") return { result: { failure: { why: "was not waited for", aborted: true } } };
  if (waited.kind !== "done") return failure(`did not answer within ${limits.milliseconds / 1000} seconds`);
  if ("why" in waited.value) return failure(String(waited.value.why));
  const { result, error } = waited.value as Readonly<Record<string, unknown>>;
  if (error !== undefined) {
    const said = objectOf(error).message;
    return { ...failure(`refused to start: ${typeof said === "string" ? said : "it did not say why"}`), refused: true };
  }
  const advertised = readInitialize(result);
  if (advertised === undefined) return failure("speaks a version of the protocol that is not known here");
  return { result: { advertised, answer: result } };
}
