import { columns, type OutputSize, pairs } from "../../operations/print/columns.ts";
import type { ProbeReport, ProtocolAnswer } from "./probe-agent.ts";
import type { SlotTrial } from "./probe-slot.ts";

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
