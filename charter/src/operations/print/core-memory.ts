import { type CoreReport, type RelayStanding, relayStanding } from "../../host/core-memory.ts";
import { counted } from "../../prompt/problem.ts";
import type { Finding } from "../../sources/core-memory/read-memory.ts";
import type { RelayTrouble } from "../../sources/core-memory/relay.ts";
import { columns, oneLine } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

/** Formats the time of an event, which may be any number of seconds. */
export function eventTime(seconds: number): string {
  if (seconds > 253_402_300_799) return `${seconds} s`;
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** Report of a core memory without its text. */
type CoreStanding = Omit<CoreReport, "text" | "notices"> & {
  readonly notices: readonly { readonly code: string; readonly message: string }[];
};

/** Prints where a core memory's text is from, or why there is none. */
export function coreStatusLines(report: CoreStanding): string[] {
  const { agent, status, reason, head, revision, npub, waiting, notices } = report;
  const about = {
    present: head
      ? `present: event ${head.id} of ${eventTime(head.createdAt)} UTC, from ${oneLine(head.relay)}, by ${npub}, revision ${revision}`
      : `present: revision ${revision}, by ${npub}, not on a relay yet`,
    empty: `empty: no relay has a core memory of “${agent}” (${npub})`,
    unavailable: `unavailable: ${oneLine(reason ?? "")}`,
  }[status];
  return [
    about,
    ...(status === "present" ? report.relays.filter(isTroubled) : report.relays).map((one) => `  ${relayText(one)}`),
    ...notices.map(({ code, message }) => `notice: ${code}: ${oneLine(message)}`),
    ...waiting.map(({ id }) => hintsHere(`Event ${id} waits to be published: charter core publish --agent ${agent}`)),
  ];
}

function isTroubled({ status }: RelayStanding): boolean {
  return status !== "newest";
}

const says: Readonly<Record<RelayStanding["status"], string>> = {
  newest: "has the newest",
  behind: "has an older one",
  nothing: "has none",
  unusable: "has none that can be used",
  unreachable: "could not be reached",
  late: "did not answer in time",
  refused: "refused",
  closed: "closed the connection",
  cut: "gave only a part",
  nonsense: "gave an answer that cannot be read",
};

/** Line about what one relay has. */
export function relayText({ relay, status, reason, lagSeconds }: RelayStanding): string {
  const lag = status === "behind" && lagSeconds !== null ? ` (by ${lagText(lagSeconds)})` : "";
  return `${oneLine(relay)} ${says[status]}${lag}${reason === null ? "" : `: ${oneLine(reason)}`}`;
}

export function oneReason(
  relay: string,
  { kind, reason }: { readonly kind: RelayTrouble; readonly reason: string },
): string {
  return `${oneLine(relay)} ${says[kind]}: ${oneLine(reason)}`;
}

/** Formats a delay in the largest unit that fits. */
function lagText(seconds: number): string {
  const units: [number, string][] = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ];
  const [size, word] = units.find(([one]) => seconds >= one) ?? [1, "second"];
  return counted(Math.floor(seconds / size), word);
}

/** Prints the relays as a table, the newest event, and what waits to be published. */
export function relayLines({ agent, status, reason, relays, head, npub, waiting }: CoreStanding): string[] {
  const cells = relays.map((one) => [
    one.relay,
    one.status,
    one.head?.id.slice(0, 12) ?? "–",
    one.head ? eventTime(one.head.createdAt) : "–",
    one.lagSeconds === null ? "–" : one.lagSeconds === 0 ? "no" : lagText(one.lagSeconds),
    one.reason ?? "",
  ]);
  return [
    ...columns(["relay", "status", "event", "time (UTC)", "behind", "reason"], cells, process.stdout),
    head ? `The newest event is ${head.id}, by ${npub}.` : `No event of ${npub} was found.`,
    ...(status === "unavailable" ? [`The core memory is unavailable: ${oneLine(reason ?? "")}`] : []),
    ...waiting.map(({ id }) => hintsHere(`Event ${id} waits to be published: charter core publish --agent ${agent}`)),
  ];
}

/** A memory besides the core. `deleted`: a tombstone stands in its place. */
type MemoryFacts = {
  readonly slug: string;
  readonly status: Finding["status"] | "deleted";
  readonly reason: string | null;
  readonly text: string | null;
  readonly head: { readonly id: string; readonly createdAt: number; readonly relay: string } | null;
  readonly relays: readonly RelayStanding[];
};

export function memoryFacts(slug: string, finding: Finding): MemoryFacts {
  const head = finding.status === "present" ? finding.head : undefined;
  return {
    slug,
    status: head?.text === null ? "deleted" : finding.status,
    reason: finding.status === "unavailable" ? finding.reason : null,
    text: head?.text ?? null,
    head: head ? { id: head.event.id, createdAt: head.event.created_at, relay: head.relay } : null,
    relays: finding.relays.map((report) => relayStanding(report, head?.event)),
  };
}

export function memoryLines({ slug, status, reason, head, relays }: MemoryFacts): string[] {
  const event = head ? `event ${head.id} of ${eventTime(head.createdAt)} UTC, from ${oneLine(head.relay)}` : "";
  const about = {
    present: `present: ${event}`,
    deleted: `deleted: ${event}`,
    empty: `empty: no relay has “${slug}”`,
    unavailable: `unavailable: ${oneLine(reason ?? "")}`,
  }[status];
  return [about, ...(head ? relays.filter(isTroubled) : relays).map((one) => `  ${relayText(one)}`)];
}
