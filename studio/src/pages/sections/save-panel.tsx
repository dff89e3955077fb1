import { useDeferredValue, useEffect } from "react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import type { Amending, Whose } from "../../editor/use-amending.ts";
import { useVerdict } from "../../editor/use-verdict.ts";
import { VerdictPanel } from "../../editor/verdict-panel.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, Input } from "../../kit/field.tsx";
import { DiffView } from "../../kit/text/diff-view.tsx";

/** Before saving: what the guards say, what it costs, what would change, and why one does it. */
export function SavePanel({
  whose,
  section,
  amending,
}: {
  readonly whose: Whose;
  readonly section: string;
  readonly amending: Amending;
}) {
  const { stands, text, typing, unsaved, busy, locked } = amending;
  // Words that were begun earlier are judged as if they were kept on top of what stands now.
  const judged = useVerdict({ ...whose, section, text, revision: stands.revision, asked: true });
  const shown = useDeferredValue(text);
  const { verdict, checking } = judged;
  // Where no event tells that the section has changed, the guards do.
  const newer = verdict?.kind === "stale" && verdict.stands.revision > stands.revision ? verdict.stands : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each revision that is news.
  useEffect(() => {
    if (newer) void amending.learn(newer);
  }, [newer?.revision]);
  const refused = verdict?.kind === "refused" && !checking;
  const unchanged = verdict?.kind === "unchanged" && !checking;
  const next = stands.revision + 1;
  return (
    <>
      <VerdictPanel judged={judged} next={next} />
      <section aria-label="What would change">
        <h3 className="mb-1 font-medium text-soft text-xs">
          What would change{typing === "stale" && `, on top of revision ${stands.revision}`}
        </h3>
        <DiffView before={stands.text} after={shown} max={40} className="bg-card" />
      </section>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          amending.save();
        }}
      >
        <Field label="Why (kept with the amendment)" className="min-w-56 flex-1">
          <Input
            dir="auto"
            placeholder="optional"
            value={unsaved?.reason ?? ""}
            onChange={({ target }) => amending.giveReason(target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" disabled={busy || locked || refused || unchanged}>
          {busy
            ? "Saving…"
            : typing === "stale"
              ? "Choose a text"
              : unchanged
                ? "Nothing to save"
                : verdict?.kind === "held"
                  ? "Propose it"
                  : `Save as revision ${next}`}
        </Button>
        <Button onClick={amending.discard}>Discard</Button>
      </form>
      <p className="text-soft text-xs">
        {refused
          ? "Nothing is lost: mend what is named above, and it can be saved."
          : "Not saved yet. It is kept in this browser, also over a reload or a sign-out."}{" "}
        <Link href={placeOf(whose.agent, "prompt", undefined, { user: whose.user, section })} className="underline">
          The prompt as it stands
        </Link>
      </p>
    </>
  );
}
