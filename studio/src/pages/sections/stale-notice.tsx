import { type ReactNode, useEffect, useRef } from "react";
import type { Amending } from "../../editor/use-amending.ts";
import { Button } from "../../kit/field.tsx";
import { Hand } from "../../kit/hand.tsx";
import { timeText } from "../../kit/words.ts";
import type { Amendment } from "./history/use-history.ts";

/** Someone else changed the section while one was typing: it is said at once, and nothing is decided for anyone. */
export function StaleNotice({
  amending,
  newest,
}: {
  readonly amending: Amending;
  readonly newest: Amendment | undefined;
}) {
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
export function AsideNotice({ amending }: { readonly amending: Amending }) {
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
