import { inertSentence, unshownSentence } from "charter";
import { Check, X } from "lucide-react";
import { type Refusal, Refusals, Trouble } from "../app/page.tsx";
import { Icon } from "../kit/icon.tsx";
import { count, dollars, plural } from "../kit/words.ts";
import type { Judged } from "./use-verdict.ts";
import { movement, type Quote, type Verdict } from "./verdict.ts";

/** What all guards say to the words as they are typed, and what they would cost. */
export function VerdictPanel({ judged, next }: { readonly judged: Judged; readonly next: number }) {
  const { verdict, problem, checking } = judged;
  const quote = verdict && "quote" in verdict ? verdict.quote : undefined;
  return (
    <div className="grid gap-px overflow-hidden rounded-lg border border-line bg-line @xl:grid-cols-2">
      <section aria-label="Verdict" aria-live="polite" aria-busy={checking} className="min-w-0 bg-card p-3">
        <Heading checking={checking}>Checks</Heading>
        {problem && <Unheard problem={problem} />}
        {!problem && !verdict && <p className="text-sm text-soft">Checking…</p>}
        {!problem && verdict && <Said verdict={verdict} next={next} />}
      </section>
      <section aria-label="Quote" className="min-w-0 bg-card p-3">
        <Heading>Cost</Heading>
        {quote ? <Cost quote={quote} /> : <p className="text-sm text-soft">{nothingToQuote(judged)}</p>}
      </section>
    </div>
  );
}

function Heading({ checking = false, children }: { readonly checking?: boolean; readonly children: string }) {
  return (
    <h3 className="mb-1 flex items-center gap-2 font-medium text-soft text-xs">
      {children}
      {checking && <span className="font-normal">…</span>}
    </h3>
  );
}

function Unheard({ problem }: { readonly problem: NonNullable<Judged["problem"]> }) {
  if (problem.status !== 0) return <Trouble problem={problem} />;
  return <p className="text-sm text-wait">The server cannot be reached. Your text is kept in this browser.</p>;
}

function Said({ verdict, next }: { readonly verdict: Verdict; readonly next: number }) {
  switch (verdict.kind) {
    case "accepted":
      return (
        <div className="text-sm">
          <p>
            <strong className="inline-flex items-center gap-1 text-good">
              <Icon of={Check} /> Checks passed.
            </strong>{" "}
            Saves as revision {count(next)}.
          </p>
          {verdict.inert.map((line) => (
            <p key={line.line} className="text-soft">
              {inertSentence(line)}
            </p>
          ))}
          {verdict.unshown ? <p className="text-bad">{unshownSentence(verdict.unshown)}</p> : null}
        </div>
      );
    case "unchanged":
      return (
        <p className="text-sm">
          <strong className="text-soft">= Unchanged.</strong> This is the current text.
        </p>
      );
    case "held":
      return (
        <div className="text-sm">
          <p>
            <strong className="text-wait">◷ Needs approval.</strong> A person has to approve this change.
          </p>
          <Refusals refusals={verdict.refusals} />
        </div>
      );
    case "refused":
      return (
        <div className="text-sm">
          <p>
            <strong className="inline-flex items-center gap-1 text-bad">
              <Icon of={X} /> Refused
            </strong>{" "}
            by {plural(verdict.refusals.length, "check")}. {hint(verdict.refusals)}
          </p>
          <Refusals refusals={verdict.refusals} />
        </div>
      );
    case "stale":
      return <p className="text-sm text-wait">Revision {count(verdict.stands.revision)} is the current one now.</p>;
  }
}

/** Only where something is underlined. */
function hint(refusals: readonly Refusal[]): string {
  return refusals.some(({ places = [] }) => places.length > 0)
    ? "Underlined in the text; F8 goes to the next place."
    : "";
}

function nothingToQuote({ verdict, problem }: Judged): string {
  if (problem) return "Unknown.";
  if (verdict?.kind === "unchanged") return "None: nothing changes.";
  return verdict?.kind === "refused" ? "None: refused text is never sent." : "Counting…";
}

function Cost({ quote }: { readonly quote: Quote }) {
  const { tokens, price, says, cold } = quote;
  return (
    <div className="text-sm">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span>
          {count(tokens.before)} → <strong>{count(tokens.after)}</strong> tokens{" "}
          <span className="text-soft">({movement(quote)})</span>
        </span>
        {price && <strong>{dollars(price.now)}</strong>}
      </p>
      <p className="mt-0.5 text-soft [overflow-wrap:anywhere]">{says}</p>
      {cold && <p className="text-soft">The cache has expired: the whole prompt is sent again anyway.</p>}
    </div>
  );
}
