import { isRecord } from "../../prompt/argument.ts";
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
  const read = readFields(answer);
  if (read === undefined) return undefined;
  const { said, version, capabilities, session, name } = read;
  const { systemPrompt } = session;
  return {
    version,
    name: typeof name === "string" ? name : null,
    slot: slotsOf(read)[0],
    override: isRecord(systemPrompt) && isRecord(objectOf(systemPrompt.mode).override),
    reopen: version === 2 || isRecord(session.resume) ? "resume" : capabilities.loadSession === true ? "load" : null,
    closes: version === 2 || isRecord(session.close),
    startsServers: version === 1 || isRecord(objectOf(session.mcp).stdio),
    signIns: signInsOf(said.authMethods),
  };
}

/** Every slot that was advertised, the best first. A message can always be sent. */
export function advertisedSlots(answer: unknown): readonly IdentitySlot[] {
  const read = readFields(answer);
  return read === undefined ? [] : slotsOf(read);
}

type AnswerFields = NonNullable<ReturnType<typeof readFields>>;

/** What stands in different places in the two versions. */
function readFields(answer: unknown) {
  const said = objectOf(answer);
  const version = said.protocolVersion;
  if (version !== 1 && version !== 2) return undefined;
  const capabilities = objectOf(version === 1 ? said.agentCapabilities : said.capabilities);
  const session = objectOf(version === 1 ? capabilities.sessionCapabilities : capabilities.session);
  const { name } = objectOf(version === 1 ? said.agentInfo : said.info);
  return { said, version, capabilities, session, name } as const;
}

/** By what was advertised, the best first. The version alone decides nothing. */
function slotsOf({ capabilities, session, name }: AnswerFields): readonly [...IdentitySlot[], IdentitySlot] {
  const meta = objectOf(capabilities._meta);
  const hints: readonly (readonly [IdentitySlot, boolean])[] = [
    ["system-prompt", isRecord(session.systemPrompt)],
    ["meta-append", typeof name === "string" && Object.hasOwn(known.agents, name)],
    ["meta-buzz", Object.hasOwn(meta, "buzz.systemPrompt") && meta["buzz.systemPrompt"] === true],
  ];
  return [...hints.filter(([, isThere]) => isThere).map(([slot]) => slot), "first-message"];
}

function signInsOf(methods: unknown): string[] {
  if (!Array.isArray(methods)) return [];
  // In version 2 an id is a methodId.
  const ids = methods.map(objectOf).map(({ id, methodId }) => id ?? methodId);
  return ids.filter((id) => typeof id === "string");
}

/** A field of something that may be anything. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
