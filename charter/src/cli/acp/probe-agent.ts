import { advertisedSlots, objectOf } from "../../delivery/acp/slot.ts";
import { startAgent } from "../../delivery/acp/wire/agent-process.ts";
import { initialize } from "../../delivery/acp/wire/initialize.ts";
import type { IdentitySlot } from "../../delivery/model.ts";
import { errorLine } from "./error-line.ts";
import { withProbeDirectory } from "./probe-directory.ts";
import { type ProbeSlotOptions, probeSlot, type SlotTrial } from "./probe-slot.ts";

/** What an agent answers when it is asked for one version of the protocol. */
export type ProtocolAnswer = {
  readonly asked: 1 | 2;
  /** The version it answered with; null if it answered with none. */
  readonly answered: 1 | 2 | null;
  /** The slots it advertises, the best first. */
  readonly slots: readonly IdentitySlot[];
  readonly reason?: string;
};

/** What was found out about an agent. */
export type ProbeReport = {
  readonly command: readonly string[];
  /** As it calls itself; null if it does not. */
  readonly name: string | null;
  readonly version: string | null;
  readonly protocols: readonly ProtocolAnswer[];
  readonly signIns: readonly string[];
  /** The version and the slot that Charter would use; null if the agent did not start. */
  readonly chosen: { readonly protocol: 1 | 2; readonly slot: IdentitySlot } | null;
  readonly trials: readonly SlotTrial[];
};

type ProbeOptions = ProbeSlotOptions & {
  /** Slots that it does not advertise are tried, too. */
  readonly all: boolean;
  readonly onProgress: (what: string) => void;
};

const everySlot: readonly IdentitySlot[] = ["system-prompt", "meta-append", "meta-buzz", "first-message"];

/** Asks an agent what it can, in both versions, and then tries each slot in a session of its own. */
export async function probeAgent(options: ProbeOptions): Promise<ProbeReport> {
  const { command, onProgress } = options;
  onProgress("Asking for version 2");
  const newest = await ask(options, 2);
  onProgress("Asking for version 1");
  const oldest = await ask(options, 1);
  const protocols = [newest.protocol, oldest.protocol];
  // Charter asks for version 2, and once more where that is refused.
  const { advertised, answer } = newest.advertised ? newest : await ask(options);
  if (advertised === undefined)
    return { command, name: null, version: null, protocols, signIns: [], chosen: null, trials: [] };

  const slots = advertisedSlots(answer);
  const trials: SlotTrial[] = [];
  for (const slot of options.all ? everySlot : slots) {
    onProgress(`Trying a session with a word in the slot ${slot}`);
    trials.push(await probeSlot(slot, slots.includes(slot), options));
  }
  const { version } = objectOf(advertised.version === 1 ? objectOf(answer).agentInfo : objectOf(answer).info);
  return {
    command,
    name: advertised.name,
    version: typeof version === "string" ? version : null,
    protocols,
    signIns: advertised.signIns,
    chosen: { protocol: advertised.version, slot: advertised.slot },
    trials,
  };
}

async function ask({ command, env, limitMs }: ProbeOptions, only?: 1 | 2) {
  return withProbeDirectory(env, async (place) => {
    const agent = startAgent({ command, ...place });
    try {
      const limits = { milliseconds: limitMs, signal: new AbortController().signal };
      const { advertised, failure, ...rest } = await initialize(agent, limits, only);
      const answer = "answer" in rest ? rest.answer : undefined;
      const asked = only ?? 2;
      const protocol: ProtocolAnswer = advertised
        ? { asked, answered: advertised.version, slots: advertisedSlots(answer) }
        : { asked, answered: null, slots: [], reason: `It ${failure?.why}.${errorLine(agent.errorTail())}` };
      return { advertised, answer, protocol };
    } finally {
      await agent.end();
    }
  });
}
