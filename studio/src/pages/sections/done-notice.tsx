import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import type { Amending, Whose } from "../../editor/use-amending.ts";
import { Button } from "../../kit/button.tsx";

const link = "font-medium text-accent underline";

/** What became of what was done last, and where to go from there. */
export function DoneNotice({
  whose: { agent, user },
  section,
  amending,
}: {
  readonly whose: Whose;
  readonly section: string;
  readonly amending: Amending;
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
      className={`flex items-start gap-2 rounded-lg border bg-card py-1.5 pr-1.5 pl-3 text-sm ${done.kind === "held" ? "border-wait/50" : "border-good/50"}`}
    >
      {done.kind === "held" ? (
        <p className="min-w-0 flex-1 py-1.5">
          <strong className="text-wait">Held.</strong> A person has to approve it; until then the words stay as they
          are.{" "}
          <Link href={placeOf(agent, "approvals", undefined, { user })} className={link}>
            To what is held
          </Link>
        </p>
      ) : done.kind === "unchanged" ? (
        <p className="min-w-0 flex-1 py-1.5">
          <strong>Unchanged.</strong> It says exactly this already, so there is no new revision.
        </p>
      ) : (
        <p className="flex min-w-0 flex-1 flex-wrap gap-x-4 py-1.5">
          <span>
            <strong className="text-good">{done.says}</strong> It is in the next prompt.
          </span>
          <Link href={placeOf(agent, "prompt", undefined, { user, section })} className={link}>
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
      <Button kind="quiet" aria-label="Dismiss" onClick={amending.dismiss}>
        ✕
      </Button>
    </div>
  );
}
