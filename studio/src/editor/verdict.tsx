import { useQuery } from "@tanstack/react-query";
import { inertSentence, unshownSentence } from "charter";
import type { OutcomeAnswer } from "charter/answers";
import { Check, X } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { ApiProblem, encodeName, sendJson } from "../api/request.ts";
import { type Refusal, Refusals, Trouble } from "../app/page.tsx";
import { Icon } from "../kit/icon.tsx";
import { count, dollars, plural, signed } from "../kit/words.ts";
import type { Stands } from "./use-amending.ts";

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
          <span className="text-soft">({signed(tokens.after - tokens.before)})</span>
        </span>
        {price && <strong>{dollars(price.now)}</strong>}
      </p>
      <p className="mt-0.5 text-soft [overflow-wrap:anywhere]">{says}</p>
      {cold && <p className="text-soft">The cache has expired: the whole prompt is sent again anyway.</p>}
    </div>
  );
}

export type Judged = {
  readonly verdict: Verdict | undefined;
  readonly problem: ApiProblem | null;
  /** What is shown is about older words: the guards are being asked about these. */
  readonly checking: boolean;
  /** The words that the verdict is about. */
  readonly about: string;
};

const pauseMs = 300;

/**
 * What all guards say to these words, asked anew when typing pauses and when something happened that may change their
 * mind. An answer to older words never replaces one to newer ones: each belongs to the words it was asked for.
 */
export function useVerdict(wish: {
  readonly agent: string;
  readonly section: string;
  readonly user: string | undefined;
  readonly text: string;
  readonly revision: number;
  readonly asked: boolean;
}): Judged {
  const { agent, section, user, text, revision, asked } = wish;
  const settled = useSettled(text);
  const { data, error, isFetching, isPlaceholderData } = useQuery<Verdict, ApiProblem>({
    queryKey: ["api", "verdict", agent, section, user, revision, settled],
    queryFn: ({ signal }) => {
      const body = { section, operation: { kind: "rewrite", content: settled }, revision, user, quote: true };
      return sendJson<OutcomeAnswer>(`/agents/${encodeName(agent)}/proposals`, body, { signal }).then(
        verdictOf,
        verdictIn,
      );
    },
    enabled: asked,
    placeholderData: (before) => before,
    gcTime: 0,
  });
  if (!asked) return { verdict: undefined, problem: null, checking: false, about: settled };
  const checking = settled !== text || isPlaceholderData || (isFetching && !data);
  return { verdict: data, problem: error, checking, about: settled };
}

/** A text once it has stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export type Quote = NonNullable<OutcomeAnswer["quote"]>;

/** What the guards say about words that were not saved yet. */
export type Verdict =
  | {
      readonly kind: "accepted";
      readonly quote: Quote | undefined;
      readonly inert: NonNullable<OutcomeAnswer["inert"]>;
      readonly unshown: OutcomeAnswer["unshown"];
    }
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "held";
      readonly refusals: readonly Refusal[];
      readonly quote: Quote | undefined;
      /** The text as it was judged. */
      readonly judged: string;
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[]; readonly judged?: string | undefined }
  | { readonly kind: "stale"; readonly stands: Stands };

export function verdictOf({ verdict, refusals, quote, inert = [], unshown, after }: OutcomeAnswer): Verdict {
  if (verdict === "accepted") return { kind: "accepted", quote, inert, unshown };
  if (verdict === "unchanged") return { kind: "unchanged" };
  if (verdict === "held")
    return { kind: "held", refusals: refusals.map((one) => ({ ...one, holds: true })), quote, judged: after };
  return { kind: "refused", refusals };
}

/** A no is an answer too; whatever else went wrong is none, and is thrown on. */
export function verdictIn(problem: unknown): Verdict {
  const stands = standsIn(problem);
  if (stands) return { kind: "stale", stands };
  if (problem instanceof ApiProblem && problem.status === 422 && problem.error.refusals)
    return {
      kind: "refused",
      refusals: problem.error.refusals,
      judged: (problem.error as { readonly proposed?: { readonly text: string } | null }).proposed?.text,
    };
  throw problem;
}

/** The words that stand now, out of an answer that says the others were made against older ones. */
export function standsIn(problem: unknown): Stands | undefined {
  if (!(problem instanceof ApiProblem) || problem.status !== 409) return undefined;
  return (problem.error as { readonly standing?: Stands }).standing;
}

/** What is objected to, while the verdict is about the very words that are shown. */
export function useObjections({ verdict, checking, about }: Judged): readonly Objection[] | undefined {
  return useMemo(() => {
    if (checking || (verdict?.kind !== "refused" && verdict?.kind !== "held")) return undefined;
    return objectionsIn(about, verdict.judged, verdict.refusals);
  }, [verdict, checking, about]);
}

/** A stretch of the text that a guard objects to, in places of the editor's own document. */
export type Objection = {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly holds: boolean;
};

/**
 * Where the objections to a text stand in an editor that shows it. Guards look at the text as it would be saved: that may
 * be without the white space around it. An editor counts every line end as one sign, also where it is two.
 */
export function objectionsIn(shown: string, judged: string | undefined, refusals: readonly Refusal[]): Objection[] {
  const shift = judged === undefined || judged === shown ? 0 : shown.indexOf(judged);
  if (shift === -1) return [];
  const returns: number[] = [];
  for (let at = shown.indexOf("\r\n"); at !== -1; at = shown.indexOf("\r\n", at + 2)) returns.push(at);
  const both = returns.length > 0 && returns.length === shown.split("\n").length - 1;
  const inEditor = (at: number) => {
    const place = Math.min(Math.max(0, at + shift), shown.length);
    return both ? place - returns.filter((one) => one < place).length : place;
  };
  return refusals
    .flatMap(({ guard, because, holds = false, places = [] }) =>
      places.map(({ at, end }) => ({ from: inEditor(at), to: inEditor(end), reason: `${guard}: ${because}`, holds })),
    )
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from || one.to - other.to);
}
