import type { IdentitySlot } from "../model.ts";
import known from "./known-agents.json" with { type: "json" };

/** What an agent said of itself in its answer to `initialize`, as far as it matters to us. */
export type Advertisement = {
  readonly version: 1 | 2;
  /** What it calls itself, if it does. */
  readonly name: string | null;
  readonly slot: IdentitySlot;
  /** Our prompt may stand in the place of its own. */
  readonly override: boolean;
  /** How a session of before can be opened again. */
  readonly reopen: "resume" | "load" | null;
  /** A session that is no longer needed can be closed. */
  readonly closes: boolean;
  /** It starts MCP servers that speak over standard input and output. */
  readonly startsServers: boolean;
  /** The ways to sign in. */
  readonly signIns: readonly string[];
};

/**
 * Reads what an agent answered to `initialize`. It takes anything: what is not as the protocol has it was not said. A
 * version that we do not know is nothing to go on with.
 */
export function readInitialize(answer: unknown): Advertisement | undefined {
  const said = objectOf(answer);
  const version = said.protocolVersion;
  if (version !== 1 && version !== 2) return undefined;
  const capabilities = objectOf(version === 1 ? said.agentCapabilities : said.capabilities);
  const session = objectOf(version === 1 ? capabilities.sessionCapabilities : capabilities.session);
  const name = objectOf(version === 1 ? said.agentInfo : said.info).name;
  const systemPrompt = session.systemPrompt;
  return {
    version,
    name: typeof name === "string" ? name : null,
    slot: slotOf({ systemPrompt, name, meta: objectOf(capabilities._meta) }),
    override: isObject(systemPrompt) && isObject(objectOf(systemPrompt.mode).override),
    reopen: version === 2 || isObject(session.resume) ? "resume" : capabilities.loadSession === true ? "load" : null,
    closes: version === 2 || isObject(session.close),
    startsServers: version === 1 || isObject(objectOf(session.mcp).stdio),
    signIns: signInsOf(said.authMethods),
  };
}

type Hints = { readonly systemPrompt: unknown; readonly name: unknown; readonly meta: Record<string, unknown> };

/** One slot, by what was advertised: the best there is. The version alone decides nothing. */
function slotOf({ systemPrompt, name, meta }: Hints): IdentitySlot {
  if (isObject(systemPrompt)) return "system-prompt";
  if (typeof name === "string" && Object.hasOwn(known.agents, name)) return "meta-append";
  if (Object.hasOwn(meta, "buzz.systemPrompt") && meta["buzz.systemPrompt"] === true) return "meta-buzz";
  return "first-message";
}

function signInsOf(methods: unknown): string[] {
  if (!Array.isArray(methods)) return [];
  return methods.map((method) => objectOf(method).id).filter((id) => typeof id === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of something that may be anything. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
