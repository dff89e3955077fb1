import type { SectionAnswer } from "charter/answers";
import { X } from "lucide-react";
import { type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import type { Whose } from "../../api/request.ts";
import { Trouble } from "../../app/page.tsx";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { BothTextsPanel, WordsEditor } from "../../editor/both-texts-panel.tsx";
import { SavePanel } from "../../editor/save-panel.tsx";
import { type Amending, type Done, useAmending } from "../../editor/use-amending.ts";
import { useObjections, useVerdict } from "../../editor/verdict.tsx";
import { Button, Field, Input } from "../../kit/field.tsx";
import { Hand } from "../../kit/hand.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Dialog } from "../../kit/menu.tsx";
import { DiffView } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import { Conflicts, LockedNotice, PublicationNotice } from "./core-conflicts.tsx";
import { type Core, CorePanel, whyLocked } from "./core-panel.tsx";
import { type Amendment, History, useHistory } from "./history.tsx";

/** An amendable section: its words in an editor, what the checks say to them, and how they came to be. */
export function Amendable({ whose, section, core }: AmendableProps) {
  const locked = whyLocked(core);
  const amending = useAmending(whose, section, locked !== undefined);
  const history = useHistory(whose, section.name);
  const [marked, setMarked] = useState(false);
  const [resetting, setResetting] = useState(false);
  // The document says of every line whose it is.
  const written = placeOf(whose.agent, "prompt", undefined, { user: whose.user, show: "new", section: section.name });
  const hint = useId();
  const words = useRef<HTMLElement>(null);
  const { stands, text, typing, bothShown, save } = amending;
  useSaveKey(save);
  // Words that were begun earlier are judged as if they were kept on top of the current ones.
  const checked = typing !== "clean" && !amending.locked;
  const judged = useVerdict({ ...whose, section: section.name, text, revision: stands.revision, asked: checked });
  const objections = useObjections(judged);
  const edit = (from: string) => {
    amending.goOnFrom(from);
    words.current?.scrollIntoView({ block: "nearest" });
    words.current?.querySelector<HTMLElement>("[role=textbox]")?.focus();
  };
  const onEdit = locked === undefined ? edit : undefined;
  const readOnly = locked !== undefined && typing === "clean";
  const openReset = () => {
    amending.dismiss();
    setResetting(true);
  };
  const newest = history.amendments.find(({ revision }) => revision === stands.revision);
  return (
    <>
      {core && (
        <CorePanel agent={whose.agent} core={core}>
          <Conflicts
            {...{ whose, onEdit }}
            section={section.name}
            conflicts={core.report?.conflicts ?? []}
            stands={stands.revision}
            told={amending.done?.kind === "amended" ? amending.done.publication?.id : undefined}
          />
        </CorePanel>
      )}
      <div className="grid items-start gap-6 @5xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="@container min-w-0 space-y-3">
          {typing === "stale" && <StaleNotice amending={amending} newest={newest} />}
          {typing === "clean" && <AsideNotice amending={amending} />}
          {!section.amendableBy.includes("operator") && (
            <p className="px-1 text-sm text-soft">
              Operators may not change this section. What you write here will be refused.
            </p>
          )}
          {locked !== undefined && <LockedNotice why={locked} typing={typing} text={text} />}
          {bothShown ? (
            <BothTextsPanel section={section.name} amending={amending} newest={newest} />
          ) : (
            <section
              ref={words}
              aria-label="Text"
              className="overflow-hidden rounded-lg border border-line bg-card focus-within:border-soft"
            >
              <div className="flex min-h-11 flex-wrap items-center gap-1 border-line border-b px-2 py-1">
                <span className="px-2 text-sm">
                  <TextLink href={written}>Who wrote it</TextLink>
                </span>
                {typing !== "clean" && (
                  <label className="flex min-h-8 items-center gap-1.5 px-2 text-sm text-soft">
                    <input type="checkbox" checked={marked} onChange={({ target }) => setMarked(target.checked)} />
                    Mark changes
                  </label>
                )}
                {stands.revision > 0 && (
                  <Button kind="quiet" className="ml-auto" disabled={amending.locked} onClick={openReset}>
                    Reset…
                  </Button>
                )}
              </div>
              <Suspense fallback={<LongText text={text} className="min-h-44 p-4 font-mono text-sm" />}>
                <WordsEditor
                  key={readOnly ? "read" : "write"}
                  readOnly={readOnly}
                  label={`Text of “${section.name}”`}
                  describedBy={hint}
                  value={text}
                  onText={amending.type}
                  objections={objections}
                  against={marked && typing !== "clean" ? stands.text : undefined}
                  className="[&_.cm-content]:min-h-40 [&_.cm-scroller]:max-h-[55dvh] [&_.cm-scroller]:overflow-auto"
                />
              </Suspense>
              <p id={hint} className="border-line border-t px-3 py-1 text-soft text-xs">
                {readOnly ? (
                  "Markdown, read-only."
                ) : (
                  <>
                    Markdown.{" "}
                    <span className="pointer-coarse:hidden">
                      Tab indents; Escape, then Tab, leaves the editor. Ctrl+S (⌘S) saves.
                    </span>
                  </>
                )}
              </p>
            </section>
          )}
          {!(amending.locked && amending.done?.kind === "amended") && (
            <DoneNotice whose={whose} section={section.name} amending={amending} onEdit={onEdit} />
          )}
          {checked && <SavePanel whose={whose} section={section.name} amending={amending} judged={judged} />}
        </div>
        <History whose={whose} section={section} history={history} amending={amending} />
        {resetting && <ResetDialog section={section} amending={amending} onClose={() => setResetting(false)} />}
      </div>
    </>
  );
}

type AmendableProps = {
  readonly whose: Whose;
  readonly section: SectionAnswer;
  /** Where its words are also kept on relays: what was found there. */
  readonly core?: Core | undefined;
};

/** Ctrl+S or ⌘S saves the words instead of the page. */
function useSaveKey(save: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      save();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [save]);
}

const link = "font-medium text-accent underline";

type DoneNoticeProps = {
  readonly whose: Whose;
  readonly section: string;
  readonly amending: Amending;
  /** Goes on from other words; without it nothing can be changed now. */
  readonly onEdit?: ((text: string) => void) | undefined;
};

/** What became of what was done last, and where to go from there. */
function DoneNotice({ whose: { agent, user }, section, amending, onEdit }: DoneNoticeProps) {
  const { done, busy } = amending;
  const notice = useRef<HTMLDivElement>(null);
  // Whoever pressed a button that is gone, or far from here, is brought to what it did.
  useEffect(() => {
    if (!done) return;
    notice.current?.scrollIntoView({ block: "nearest" });
    if (document.activeElement === document.body) notice.current?.focus();
  }, [done]);
  if (!done) return null;
  if (done.kind === "failed")
    return (
      <div ref={notice} tabIndex={-1}>
        <Trouble problem={done.problem} />
      </div>
    );
  return (
    <div
      ref={notice}
      tabIndex={-1}
      role="status"
      className={`flex items-start gap-2 rounded-lg border bg-card py-1.5 pr-1.5 pl-3 text-sm ${isWell(done) ? "border-good/50" : "border-wait/50"}`}
    >
      {done.kind === "held" ? (
        <p className="min-w-0 flex-1 py-1.5">
          <strong className="text-wait">Waiting for approval.</strong> Until then the text stays as it is.{" "}
          <Link href={housePlaceOf("approvals", undefined, { agent, user })} className={link}>
            See Approvals
          </Link>
        </p>
      ) : done.kind === "unchanged" ? (
        <p className="min-w-0 flex-1 py-1.5">
          <strong>Unchanged.</strong> This is the current text, so there is no new revision.
        </p>
      ) : (
        <div className="min-w-0 flex-1 space-y-2 py-1.5">
          {!done.publication?.conflict && (
            <p className="flex flex-wrap gap-x-4">
              <span>
                <strong className="text-good">{done.says}</strong> It is sent with the next turn.
              </span>
              <Link href={placeOf(agent, "prompt", undefined, { user, section, show: "new" })} className={link}>
                See it in the prompt
              </Link>
              <Link href={placeOf(agent, "chat", undefined, { user })} className={link}>
                Try it in the chat
              </Link>
              <button type="button" disabled={busy} className={link} onClick={() => void amending.revert(done.before)}>
                Undo
              </button>
            </p>
          )}
          {done.publication && (
            <PublicationNotice publication={done.publication} revision={done.revision} onEdit={onEdit} />
          )}
        </div>
      )}
      <Button kind="quiet" aria-label="Dismiss" onClick={amending.dismiss}>
        <Icon of={X} className="mx-auto" />
      </Button>
    </div>
  );
}

/** Whether nothing is left to be done or waited for. */
function isWell(done: Done): boolean {
  return done.kind === "amended" ? (done.publication?.state ?? "published") === "published" : done.kind !== "held";
}

type StaleNoticeProps = { readonly amending: Amending; readonly newest: Amendment | undefined };

/** Someone else changed the section while one was typing: it is said at once, and nothing is decided for anyone. */
function StaleNotice({ amending, newest }: StaleNoticeProps) {
  const { stands, unsaved, bothShown, showBoth } = amending;
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (bothShown) notice.current?.scrollIntoView({ block: "nearest" });
  }, [bothShown]);
  return (
    <div ref={notice} role="alert" className="rounded-lg border border-wait/60 bg-card p-3 text-sm">
      <p className="[overflow-wrap:anywhere]">
        <strong className="text-wait">The current text is now revision {stands.revision}.</strong> You started from
        revision {unsaved?.revision}. Your text is kept.{newest && <Who newest={newest} />}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {!bothShown && (
          <Button kind="primary" onClick={() => showBoth(true)}>
            Show both texts
          </Button>
        )}
        <Button kind={bothShown ? "primary" : "plain"} onClick={amending.keepMine}>
          Keep mine, based on revision {stands.revision}
        </Button>
        <Button onClick={amending.discard}>Use theirs</Button>
        {bothShown && (
          <Button kind="quiet" onClick={() => showBoth(false)}>
            Back to my text
          </Button>
        )}
      </div>
    </div>
  );
}

function Who({ newest: { actor, at, reason } }: { readonly newest: Amendment }): ReactNode {
  return (
    <>
      {" "}
      Changed by the <Hand actor={actor} />, {timeText(at)}
      {reason ? (
        <>
          : <bdi>“{reason}”</bdi>
        </>
      ) : (
        "."
      )}
    </>
  );
}

/** What was discarded is not gone: it can be brought back until something else is discarded here. */
function AsideNotice({ amending }: { readonly amending: Amending }) {
  const { aside, stands } = amending;
  if (!aside || aside.text === stands.text) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 px-1 text-sm text-soft">
      The text you discarded (from revision {aside.revision}) is still kept in this browser.
      <button type="button" className="text-accent underline" onClick={amending.bringBack}>
        Restore it
      </button>
    </p>
  );
}

type ResetDialogProps = { readonly section: SectionAnswer; readonly amending: Amending; readonly onClose: () => void };

/** Back to the words the section was born with: what that changes, and why. */
function ResetDialog({ section, amending, onClose }: ResetDialogProps) {
  const [reason, setReason] = useState("");
  const original = section.original ?? "";
  const same = original === amending.stands.text;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Reset “${section.name}” to the original`}
      about="Saved as a new revision. Earlier ones stay in the history."
    >
      <form
        className="space-y-3"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await amending.reset(reason === "" ? undefined : reason)) onClose();
        }}
      >
        {same ? (
          <p className="text-sm">The current text is the original.</p>
        ) : (
          <DiffView before={amending.stands.text} after={original} className="bg-card" />
        )}
        <Field label="Reason (kept in the history)">
          <Input dir="auto" placeholder="optional" value={reason} onChange={({ target }) => setReason(target.value)} />
        </Field>
        {amending.done?.kind === "failed" && <Trouble problem={amending.done.problem} />}
        <div className="flex gap-2">
          <Button type="submit" kind="primary" disabled={same || amending.busy}>
            Reset to the original
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
