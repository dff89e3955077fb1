import type { Typing } from "../../../editor/unsaved.ts";

/** In place of a way to save: why there is none now. What was typed stays. */
export function LockedNotice({ why, typing, text }: LockedNoticeProps) {
  return (
    <div role="status" className="rounded-lg border border-wait/60 bg-card p-3 text-sm [overflow-wrap:anywhere]">
      <p>
        <strong className="text-wait">It cannot be changed now:</strong> {why.replace(/\.$/, "")}.
      </p>
      {typing !== "clean" && <p className="text-soft">What you typed is kept in this browser until it can.</p>}
      {typing === "clean" && text !== "" && (
        <p className="text-soft">This is the last known text. It is read-only for now.</p>
      )}
    </div>
  );
}

type LockedNoticeProps = { readonly why: string; readonly typing: Typing; readonly text: string };
