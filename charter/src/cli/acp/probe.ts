import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { startAgent } from "../../delivery/acp/agent-process.ts";
import { advertisedSlots, initialize, objectOf } from "../../delivery/acp/peer.ts";
import type { IdentitySlot } from "../../delivery/model.ts";
import type { ProbeInput } from "../../operations/here/run.ts";
import { columns, type OutputSize, pairs } from "../../operations/print/columns.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { errorLine, type ProbeSlotOptions, probeSlot, type SlotTrial, withProbeDirectory } from "./probe-slot.ts";

/** Where an agent takes a system prompt, and whether it arrives. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const {
    program: [program = "", ...words],
    env = [],
    inherit = [],
    all = false,
    signIn,
    timeLimit,
  } = input as ProbeInput;
  const { stdout, stderr } = process;
  const report = await probeAgent({
    command: [/[/\\]/.test(program) ? resolve(program) : program, ...words],
    env: { ...inherited(inherit), ...given(env) },
    all,
    signIn,
    limitMs: timeLimit * 1000,
    newWord: () => `canary${randomBytes(8).toString("hex")}`,
    onProgress: (what) => {
      if (stderr.isTTY) stderr.write(`${what}…\n`);
    },
  });
  stdout.write(json ? `${JSON.stringify(report)}\n` : `${reportLines(report, stdout).join("\n")}\n`);
  return reachedModel(report) ? 0 : 1;
}

function given(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = process.env[name];
      if (value === undefined)
        throw new Problem("usage", `--inherit names ${name}, which is not set here.`, "See charter acp probe --help.");
      return [name, value];
    }),
  );
}

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

const placeNames: Readonly<Record<SlotTrial["reached"], string>> = {
  system: "system role",
  user: "user message",
  elsewhere: "another place of the request",
  nowhere: "nowhere",
  unknown: "unknown",
};

/** Did what Charter would send reach the model, where a model reads it? */
export function reachedModel({ chosen, trials }: ProbeReport): boolean {
  const trial = trials.find(({ slot }) => slot === chosen?.slot);
  return trial?.reached === "system" || trial?.reached === "user";
}

/** The report in words. */
export function reportLines(report: ProbeReport, output: OutputSize): string[] {
  const { name, version, protocols, signIns, chosen, trials } = report;
  const facts = pairs(
    [
      ["command", report.command.join(" ")],
      ["agent", `${name ?? "gives no name"}${version === null ? "" : ` ${version}`}`],
      ...protocols.map((one) => [`version ${one.asked}`, protocolText(one)] as const),
      ["sign-in", signIns.length === 0 ? "none offered" : signIns.join(", ")],
      ["Charter uses", chosen === null ? "nothing: it did not start" : `${chosen.slot}, version ${chosen.protocol}`],
    ],
    output,
  );
  if (trials.length === 0) return facts;
  const rows = trials.map((trial) => [
    trial.slot,
    trial.advertised ? "yes" : "no",
    trial.got === "nothing" ? "no session" : trial.got,
    placeNames[trial.reached],
    [trial.api, trial.reason].filter(Boolean).join("; "),
  ]);
  return [...facts, "", ...columns(["slot", "advertised", "came to", "the word reached", ""], rows, output)];
}

function protocolText({ asked, answered, slots, reason }: ProtocolAnswer): string {
  if (answered === null) return `no: ${reason}`;
  const advertised = slots.filter((slot) => slot !== "first-message");
  const known = advertised.length === 0 ? "advertises no slot" : `advertises ${advertised.join(", ")}`;
  return `${asked === answered ? "yes" : `answers with version ${answered}`}, ${known}`;
}
