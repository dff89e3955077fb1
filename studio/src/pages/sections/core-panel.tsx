import { useQuery } from "@tanstack/react-query";
import type { AgentAnswer, CoreMemoryAnswer, PublishAnswer, SectionAnswer } from "charter/answers";
import { Check, Clock, Dot, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { onEvent } from "../../api/event-feed.ts";
import { queryClient, useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { publicationWords } from "../../editor/use-amending.ts";
import { Button } from "../../kit/field.tsx";
import { Badge, Icon } from "../../kit/icon.tsx";
import { ShortCode } from "../../kit/text-link.tsx";
import { plural, timeText } from "../../kit/words.ts";

const tones = { present: "good", empty: "plain", unavailable: "bad" } as const;

/** A core memory on its relays: what was found, where, what still has to be sent, and what was written elsewhere. */
export function CorePanel({ agent, core, children }: CorePanelProps) {
  const { report, problem, askedAt, asking, askAgain } = core;
  return (
    <section aria-label="On relays" className="@container overflow-hidden rounded-lg border border-line bg-card">
      <div className="space-y-2 p-3 text-sm">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <h3 className="font-semibold">On relays</h3>
          {report && !problem && <Badge tone={tones[report.status]}>{report.status}</Badge>}
          <p className="ml-auto flex items-center gap-2 text-soft text-xs">
            {asking ? (
              <span role="status">The relays are being asked…</span>
            ) : (
              <>
                {askedAt > 0 && `Asked at ${timeText(new Date(askedAt).toISOString())}`}
                <button type="button" className="min-h-6 text-accent underline" onClick={askAgain}>
                  Ask again
                </button>
              </>
            )}
          </p>
        </div>
        <p className="text-soft text-xs">
          Relays are servers that keep this text, encrypted and signed, so that the agent has it wherever it runs.
        </p>
        <Trouble problem={problem} />
        {report && !problem && <Found report={report} />}
        {report && !problem && report.notices.map(({ code, message }) => <Said key={code + message}>{message}</Said>)}
      </div>
      {report && !problem && (
        <>
          {report.waiting.length > 0 && <WaitingEvents agent={agent} report={report} />}
          {report.relays.length > 0 && <RelayList relays={report.relays} waiting={report.waiting.length > 0} />}
          {children}
        </>
      )}
    </section>
  );
}

type CorePanelProps = { readonly agent: string; readonly core: Core; readonly children?: ReactNode };

function Said({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className="text-wait [overflow-wrap:anywhere]">
      {children}
    </p>
  );
}

function Found({ report }: { readonly report: CoreReport }) {
  const { status, reason, head, relays, waiting, npub, notices } = report;
  // Where a relay or a notice says why, it is not said twice.
  const told = notices.length > 0 || relays.some((one) => relayTone(one) === "bad");
  const having = relays.filter((one) => one.status === "newest").length;
  return (
    <>
      {status === "unavailable" && (
        <p className="[overflow-wrap:anywhere]">
          <strong className="text-bad">It could not be read.</strong> {told ? "" : `${reason}. `}
          It is left out of the prompt, and cannot be changed meanwhile. The next turn asks again.
        </p>
      )}
      {status === "empty" && head === null && (
        <p>
          Nothing is written there yet: every relay that answered has none. The first text you save here is published.
        </p>
      )}
      {status === "empty" && head !== null && <p>It was emptied: the newest event has no text.</p>}
      {status === "present" && waiting.length > 0 && (
        <p>The text below is in the prompt. {head ? "The relays have an older one." : "No relay has it yet."}</p>
      )}
      {status === "present" && waiting.length === 0 && (
        <p>
          The text below is published: <strong>{relaysThat(having, relays.length)}</strong>{" "}
          {having === 1 ? "has" : "have"} them.
        </p>
      )}
      {npub !== null && (
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-soft">
          {head && (
            <>
              <Fact name={status === "unavailable" || waiting.length > 0 ? "Newest event there" : "Event"}>
                <ShortCode what="event" code={head.id} />
              </Fact>
              <Fact name="Written">
                <span className="text-ink">{eventTime(head.createdAt)}</span>
              </Fact>
            </>
          )}
          <Fact name={head ? "Signed by the agent’s key" : "The agent’s key"}>
            <ShortCode what="public key" code={npub} keep={12} />
          </Fact>
        </dl>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <dt className="text-xs">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const inks = { good: "text-good", plain: "text-soft", wait: "text-wait", bad: "text-bad" };
const signs = { good: Check, plain: Dot, wait: Clock, bad: X };

/** Each relay with what it has, or why that is not known. */
function RelayList({ relays, waiting }: { readonly relays: readonly Relay[]; readonly waiting: boolean }) {
  // A relay without it is as it should be only where nobody has it.
  const isThere = relays.some(({ head }) => head !== null);
  const toneOf = (one: Relay) => (one.status === "nothing" && isThere ? "wait" : relayTone(one, waiting));
  return (
    <ul aria-label="Relays" className="divide-y divide-line border-line border-t text-sm">
      {relays.map((one) => (
        <li key={one.relay} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5">
          <span className="min-w-0 flex-[1_1_14rem] font-mono text-[0.86em] [overflow-wrap:anywhere]">{one.relay}</span>
          <span className="flex min-w-0 flex-[2_1_16rem] flex-wrap items-center gap-x-2">
            <span className={inks[toneOf(one)]}>
              <Icon of={signs[toneOf(one)]} className="inline size-3.5" /> {relayWords(one, waiting)}
            </span>
            {one.status === "behind" && one.head && <ShortCode what="event" code={one.head.id} />}
            {one.reason !== null && <span className="min-w-0 text-soft [overflow-wrap:anywhere]">{one.reason}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Changes that are saved and that no relay has taken yet: why not, and a way to try now. */
function WaitingEvents({ agent, report }: { readonly agent: string; readonly report: CoreReport }) {
  const { busy, problem, run } = useAct();
  const [became, setBecame] = useState<string>();
  const send = async () => {
    setBecame(undefined);
    const answer = await run(() => sendJson<PublishAnswer>(`${corePath(agent)}/publish`));
    if (answer) setBecame(answer.publication ? publicationWords(answer.publication) : "Nothing waits any more.");
    askCoreAgain(agent);
  };
  return (
    <div className="space-y-2 border-line border-t bg-raised p-3 text-sm">
      {report.waiting.map(({ id, revision, tries, missed }) => (
        <div key={id} className="space-y-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <strong className="text-wait">Revision {revision} is not published yet.</strong>
            <ShortCode what="event" code={id} />
            <span className="text-soft">
              {tries > 0 && `Tried ${plural(tries, "time")}. `}It is sent again automatically.
            </span>
          </p>
          <MissedRelays missed={missed} />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={busy} onClick={send}>
          {busy ? "Sending…" : "Send again"}
        </Button>
        <p role="status" className="min-w-0">
          {became}
        </p>
      </div>
      <Trouble problem={problem} />
    </div>
  );
}

/** The relays that did not take a change, each with its reason. */
export function MissedRelays({ missed }: { readonly missed: readonly { place: string; reason: string }[] }) {
  if (missed.length === 0) return null;
  return (
    <ul aria-label="Relays that did not take it" className="space-y-0.5">
      {missed.map(({ place, reason }) => (
        <li key={place + reason} className="[overflow-wrap:anywhere]">
          <code>{place}</code> <span className="text-soft">{reason}</span>
        </li>
      ))}
    </ul>
  );
}

/** In the list of sections: how a core memory is, in a few words. Nothing of any other section. */
export function CoreLine({ agent, section, otherwise }: CoreLineProps) {
  const onRelays = useOnRelays(agent, section);
  const core = useCore(agent, onRelays);
  if (!core) return otherwise;
  const { report, problem } = core;
  if (problem) return <span className="text-bad">could not be read</span>;
  if (!report) return "on relays";
  const { status, relays, waiting } = report;
  if (status === "unavailable") return <span className="text-bad">unavailable now</span>;
  if (waiting.length > 0) return <span className="text-wait">not published yet</span>;
  if (status === "empty") return "empty, on its relays";
  return `on ${relaysThat(relays.filter((one) => one.status === "newest").length, relays.length)}`;
}

type CoreLineProps = {
  readonly agent: string;
  readonly section: Parameters<typeof useOnRelays>[1];
  readonly otherwise: string;
};

export type Relay = CoreReport["relays"][number];

const says: Readonly<Record<Relay["status"], string>> = {
  newest: "has it",
  behind: "has an older one",
  nothing: "has none",
  unusable: "has none that can be used",
  unreachable: "cannot be reached",
  late: "did not answer in time",
  refused: "refused to answer",
  closed: "closed the connection",
  cut: "gave only a part of its answer",
  nonsense: "gave an answer that cannot be read",
};

/**
 * How a relay does, in a few words: what it has, and how old that is beside the newest. Where something still waits to be
 * published, the newest there is not what is in the prompt.
 */
export function relayWords({ status, lagSeconds }: Pick<Relay, "status" | "lagSeconds">, waiting = false): string {
  if (waiting && status === "newest") return "has the newest one that is published";
  const lag = status === "behind" && lagSeconds !== null ? `, ${lagWords(lagSeconds)}` : "";
  return says[status] + lag;
}

const relayTones = { newest: "good", nothing: "plain", behind: "wait" } as const;

/** Whether something is to be worried about. */
export function relayTone({ status }: Pick<Relay, "status">, waiting = false): "good" | "plain" | "wait" | "bad" {
  if (waiting && status === "newest") return "plain";
  return status in relayTones ? relayTones[status as keyof typeof relayTones] : "bad";
}

const units: readonly (readonly [seconds: number, word: string])[] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** How far behind, in the largest unit that fits. Two of the same second are in the order of their ids. */
function lagWords(seconds: number): string {
  const [size, word] = units.find(([one]) => seconds >= one) ?? [];
  if (size === undefined) return "of the same second";
  const many = Math.floor(seconds / size);
  return `${many} ${word}${many === 1 ? "" : "s"} behind`;
}

/** “both its relays”, “2 of its 3 relays”, “its one relay”. */
export function relaysThat(many: number, of: number): string {
  if (many === 0) return of === 1 ? "not even its one relay" : `none of its ${of} relays`;
  if (many < of) return `${many} of its ${of} relays`;
  return of === 1 ? "its one relay" : of === 2 ? "both its relays" : `all ${of} of its relays`;
}

const endOfDates = 8.64e12;

/** The time of an event, which may be any number of seconds since 1970. */
export function eventTime(seconds: number): string {
  return seconds <= endOfDates ? timeText(new Date(seconds * 1000).toISOString()) : "invalid time";
}

export type CoreReport = CoreMemoryAnswer;

/** A core memory as it was found when its relays were last asked, or why nobody could say. */
export type Core = {
  readonly report: CoreReport | undefined;
  readonly problem: ApiProblem | null;
  /** When the relays were last asked; 0 where they never were. */
  readonly askedAt: number;
  readonly asking: boolean;
  readonly askAgain: () => void;
};

/** Relays tell nothing by themselves. */
const againMs = 60_000;

const keyOf = (agent: string) => ["core", agent];

const corePath = (agent: string): string => `/agents/${encodeName(agent)}/core`;

/** What of an agent's core memory is on its relays. It is asked for anew when it changed, not whenever anything happens. */
export function useCore(agent: string, asked: boolean): Core | undefined {
  const { data, error, dataUpdatedAt, errorUpdatedAt, isFetching, refetch } = useQuery<CoreReport, ApiProblem>({
    queryKey: keyOf(agent),
    queryFn: ({ signal }) => getJson<CoreReport>(corePath(agent), signal),
    enabled: asked,
    refetchInterval: againMs,
  });
  if (!asked) return undefined;
  return {
    report: data,
    problem: error,
    askedAt: Math.max(dataUpdatedAt, errorUpdatedAt),
    asking: isFetching,
    askAgain: () => void refetch(),
  };
}

/** Whether a section is a core memory that is kept on relays. */
export function useOnRelays(agent: string, section: Pick<SectionAnswer, "name" | "mutability"> | undefined): boolean {
  const { data } = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  return isCore(section) && data?.name === agent && data.settings.memory !== undefined;
}

/** A core memory that is told in the settings is generated per turn, and is on no relay. */
export function isCore(section: Pick<SectionAnswer, "name" | "mutability"> | undefined): boolean {
  return section?.name === "core" && section.mutability === "amendable";
}

const askCoreAgain = (agent: string): void => void queryClient.invalidateQueries({ queryKey: keyOf(agent) });

const tells: readonly string[] = ["amended", "published", "publication-conflict"];

/** Asks anew when the agent's words were changed or published. */
export function useCoreEvents(agent: string): void {
  useEffect(
    () => onEvent(({ scope, kind }) => scope.agent === agent && tells.includes(kind) && askCoreAgain(agent)),
    [agent],
  );
}

/** Why its words cannot be changed now; nothing where they can, or where that is not known. */
export function whyLocked(core: Core | undefined): string | undefined {
  if (!core) return undefined;
  const { report, problem } = core;
  // A server that is away says nothing about the relays.
  if (problem) return problem.status >= 400 && problem.status < 500 ? problem.message : undefined;
  if (report?.status === "unavailable") return report.reason ?? "unknown reason";
  return report?.notices.find(({ code }) => code === "clock-poisoned")?.message;
}
