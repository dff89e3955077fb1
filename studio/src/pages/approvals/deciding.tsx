import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import { onEscape, useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { type PublicationOutcome, publicationWords } from "../../editor/use-amending.ts";
import type { Act } from "../../kit/act.ts";
import { hasDraft, placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button, Field, Textarea } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count } from "../../kit/words.ts";
import { NextTurn } from "./call-card.tsx";
import type { waitingOf } from "./held-card.tsx";
import { placeOfEdit } from "./proposal-card.tsx";

type Choosing = { readonly busy: boolean; readonly decide: Decide };

/** Yes, or no with a reason. `form` is what a proposal offers besides: it takes the place of the buttons. */
export function Deciding<Answer>({
  id,
  what,
  hint = "The agent is told the reason if it asks for the same again.",
  asks = false,
  approves = true,
  mine,
  more,
  form,
  onApproved,
  onRejected,
  onLate,
}: {
  readonly id: string;
  readonly what: string;
  /** What becomes of the reason. */
  readonly hint?: string;
  /** It cannot be taken back: a key alone does not approve it. */
  readonly asks?: boolean;
  /** It can be approved as it is. */
  readonly approves?: boolean;
  /** The answer that a picture it waits because of is the user's own, in words. */
  readonly mine?: string | undefined;
  readonly more?: ReactNode;
  readonly form?: ((choosing: Choosing) => ReactNode) | undefined;
  readonly onApproved: (answer: Answer) => void;
  readonly onRejected: () => void;
  /** Someone else decided meanwhile. */
  readonly onLate: () => void;
}) {
  const [reason, setReason] = useDraft(placeOfDraft("held", id));
  const [saying, setSaying] = useState(reason !== undefined);
  const { busy, problem, decide } = useDecision(id);
  const done = (then: () => void) => {
    setReason(undefined);
    then();
  };
  const words = reason?.trim() ?? "";
  const late = () => done(onLate);
  const approve = (body = {}) => decide<Answer>("approve", body, (answer) => done(() => onApproved(answer)), late);
  const reject = () => decide("reject", words === "" ? {} : { reason: words }, () => done(onRejected), late);
  return (
    <div className="space-y-3">
      {problem && (
        <>
          <Trouble problem={problem} />
          {problem.status === 422 && <p className="text-sm text-soft">It still waits. Nothing changed.</p>}
        </>
      )}
      {form?.({ busy, decide })}
      {!form && saying && (
        <form
          // What was typed is kept.
          onKeyDown={onEscape(() => setSaying(false))}
          onSubmit={(event) => {
            event.preventDefault();
            void reject();
          }}
        >
          <Field label="Reason (optional)" hint={hint}>
            <Textarea
              rows={2}
              dir="auto"
              // One has just pressed the button that asks for these words; or they were typed before.
              autoFocus={reason === undefined}
              value={reason ?? ""}
              onChange={({ target }) => setReason(target.value)}
            />
          </Field>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button type="submit" kind="danger" disabled={busy}>
              Reject
            </Button>
            <Button
              kind="quiet"
              onClick={() => {
                setSaying(false);
                setReason(undefined);
              }}
            >
              Cancel
            </Button>
          </div>
        </form>
      )}
      {!form && !saying && (
        <div className="flex flex-wrap gap-2">
          {approves && (
            <Button
              kind="primary"
              disabled={busy}
              aria-label={`Approve ${what}`}
              data-act="approve"
              data-asks={asks ? "" : undefined}
              onClick={() => approve()}
            >
              Approve
            </Button>
          )}
          {mine && (
            <Button disabled={busy} onClick={() => approve({ mine: true })}>
              {mine}
            </Button>
          )}
          {more}
          <Button disabled={busy} aria-label={`Reject ${what}`} data-act="reject" onClick={() => setSaying(true)}>
            Reject…
          </Button>
        </div>
      )}
    </div>
  );
}

export type Decide = <Answer>(
  way: "approve" | "reject",
  body: object,
  then: (answer: Answer) => void,
  late: () => void,
) => Promise<void>;

/** Sends a decision. What someone else has decided meanwhile is an answer, not a failure. */
function useDecision(id: string): Pick<Act, "busy" | "problem"> & { readonly decide: Decide } {
  const { busy, problem, run } = useAct();
  const decide: Decide = async (way, body, then, late) => {
    const answer = await run(() =>
      sendJson<never>(`/approvals/${encodeName(id)}/${way}`, body).catch((error: unknown): "late" => {
        if (error instanceof ApiProblem && error.error.code === "already-decided") return "late";
        throw error;
      }),
    );
    if (answer === "late") late();
    else if (answer !== undefined) then(answer);
  };
  return { busy, problem, decide };
}

/** What was just decided here, and what comes of it. It stands on the page after the thing itself is gone from the list. */
export type Decision = { readonly id: string; readonly agent: string; readonly user: string | undefined } & (
  | {
      readonly kind: "amended";
      readonly section: string;
      readonly revision: number | undefined;
      /** What became of it where the section is also kept. */
      readonly publication: PublicationOutcome | undefined;
    }
  | { readonly kind: "call"; readonly tool: string }
  /** `wish`: what the agent asks leave for, in words. */
  | { readonly kind: "permission"; readonly wish: string }
  /** A tool of an MCP server. */
  | { readonly kind: "tool"; readonly what: string }
  | { readonly kind: "tool-rejected"; readonly what: string }
  | { readonly kind: "rejected"; readonly what: string }
  | { readonly kind: "late"; readonly what: string }
);

export function Decisions({ decisions }: { readonly decisions: readonly Decision[] }) {
  const told = useRef<HTMLDivElement>(null);
  // The button that was pressed goes with its card: whoever pressed it goes on with the next one, or else from here.
  useEffect(() => {
    const [last] = decisions;
    if (last && !focusNextTo(last.id)) told.current?.focus({ preventScroll: true });
  }, [decisions]);
  return (
    <div ref={told} role="status" tabIndex={-1}>
      {decisions.length > 0 && (
        <ul className="mb-4 space-y-1 rounded-lg border border-good/50 bg-card px-4 py-2.5 text-sm [overflow-wrap:anywhere]">
          {decisions.map((decision) => (
            <li key={decision.id}>
              <Says decision={decision} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Says({ decision }: { readonly decision: Decision }) {
  const { agent, user } = decision;
  if (decision.kind === "rejected")
    return <>Rejected: {decision.what}. The agent is told your reason if it asks again.</>;
  if (decision.kind === "tool") return <>Approved: {decision.what} is offered from the next turn on.</>;
  if (decision.kind === "tool-rejected")
    return <>Rejected: {decision.what} is not offered. If its server changes it, it waits here again.</>;
  if (decision.kind === "late")
    return (
      <>
        Someone else has already decided {decision.what}.{" "}
        <TextLink href={housePlaceOf("approvals", decision.id)}>See the decision</TextLink>
      </>
    );
  if (decision.kind === "call")
    return (
      <>
        Approved: <code>{decision.tool}</code> runs <NextTurn agent={agent} user={user} />
      </>
    );
  if (decision.kind === "permission")
    return (
      <>
        Approved: if the agent asks for “<bdi>{decision.wish}</bdi>” again, it is allowed once,{" "}
        <NextTurn agent={agent} user={user} />
      </>
    );
  const { publication } = decision;
  return (
    <>
      Approved: <TextLink href={placeOf(agent, "sections", decision.section, { user })}>“{decision.section}”</TextLink>{" "}
      {decision.revision === undefined ? "already says this" : `is at revision ${count(decision.revision)}`}, from the
      next prompt on. <TextLink href={placeOf(agent, "prompt", undefined, { user })}>See it</TextLink>
      {publication && <span className="block">{publicationWords(publication)}</span>}
    </>
  );
}

type Items = ReturnType<typeof waitingOf>;

/**
 * Tells of proposals that are edited here and go from the list because someone else has decided them. Those that nobody
 * edits just go. `list` names the list: another one has other things on it.
 */
export function useLate(list: string, items: Items | undefined, onDecided: (decision: Decision) => void): void {
  const before = useRef<{ readonly list: string; readonly items: Items }>(undefined);
  useEffect(() => {
    if (!items) return;
    const there = new Set(items.map(({ id }) => id));
    const gone = before.current?.list === list ? before.current.items.filter(({ id }) => !there.has(id)) : [];
    before.current = { list, items };
    for (const one of gone)
      if ("proposal" in one && hasDraft(placeOfEdit(one.id))) {
        const { id, section, scope } = one;
        onDecided({ id, agent: scope.agent, user: scope.user, kind: "late", what: `the change of “${section}”` });
      }
  }, [list, items, onDecided]);
}

const cards = () => [...document.querySelectorAll<HTMLElement>("[data-held]")];

function focusOn(target: EventTarget | null): "card" | "page" | "control" | "text" {
  if (!(target instanceof HTMLElement) || target === document.body || target.id === "page") return "page";
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return "text";
  return target.dataset.held === undefined ? "control" : "card";
}

/**
 * Moves between the cards and presses their buttons. What cannot be taken back is not pressed by one key: its button gets
 * the focus, and Enter presses it.
 */
export function useKeys(): void {
  const [, go] = useLocation();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const act = keyAct(event, focusOn(event.target));
      if (act === undefined) return;
      const all = cards();
      const at = all.findIndex((card) => card.contains(document.activeElement));
      const here = all[at] ?? (all.length === 1 ? all[0] : undefined);
      if (act === "next" || act === "previous") {
        const to = all[act === "next" ? at + 1 : Math.max(0, at - 1)];
        if (!to) return;
        event.preventDefault();
        return to.focus();
      }
      if (!here) return;
      event.preventDefault();
      if (act === "open") return go(housePlaceOf("approvals", here.dataset.held));
      const button = here.querySelector<HTMLButtonElement>(`button[data-act="${act}"]`);
      if (button?.dataset.asks === undefined) button?.click();
      else button.focus();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [go]);
}

/** The card that comes after one, else the one before it, gets the focus. False: there is no other. */
function focusNextTo(id: string): boolean {
  const all = cards();
  const at = all.findIndex((card) => card.dataset.held === id);
  const next = all[at + 1] ?? all[at - 1];
  next?.focus();
  return next !== undefined;
}

/** What a key does among the approvals. */
export type KeyAct = "next" | "previous" | "open" | "approve" | "edit" | "reject";

const acts: Readonly<Record<string, KeyAct>> = {
  j: "next",
  ArrowDown: "next",
  k: "previous",
  ArrowUp: "previous",
  Enter: "open",
  a: "approve",
  e: "edit",
  r: "reject",
};

type Pressed = {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
};

/** `on`: what has the focus. Whoever types means letters, and a button or link has its own Enter and arrows. */
export function keyAct(pressed: Pressed, on: "card" | "page" | "control" | "text"): KeyAct | undefined {
  if (on === "text" || pressed.ctrlKey || pressed.metaKey || pressed.altKey || pressed.shiftKey) return undefined;
  const act = Object.hasOwn(acts, pressed.key) ? acts[pressed.key] : undefined;
  if (act === "open") return on === "card" ? act : undefined;
  return pressed.key.startsWith("Arrow") && on === "control" ? undefined : act;
}
