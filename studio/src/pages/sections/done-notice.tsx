import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { Trouble } from "../../app/page.tsx";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import type { Amending, Done, Whose } from "../../editor/use-amending.ts";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { PublicationNotice } from "./core/publication-notice.tsx";

const link = "font-medium text-accent underline";

/** What became of what was done last, and where to go from there. */
export function DoneNotice({
  whose: { agent, user },
  section,
  amending,
  onEdit,
}: {
  readonly whose: Whose;
  readonly section: string;
  readonly amending: Amending;
  /** Goes on from other words; without it nothing can be changed now. */
  readonly onEdit?: ((text: string) => void) | undefined;
}) {
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
