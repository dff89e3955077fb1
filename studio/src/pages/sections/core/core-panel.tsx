import type { ReactNode } from "react";
import { Trouble } from "../../../app/page.tsx";
import { Badge } from "../../../kit/icon.tsx";
import { ShortCode } from "../../../kit/text-link.tsx";
import { timeText } from "../../../kit/words.ts";
import { eventTime } from "./event-time.ts";
import { RelayList } from "./relay-list.tsx";
import { relaysThat, relayTone } from "./relay-words.ts";
import type { Core, CoreReport } from "./use-core.ts";
import { WaitingEvents } from "./waiting-events.tsx";

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
        {problem && <Trouble problem={problem} />}
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
