import { useDeferredValue, useEffect } from "react";
import { Link } from "wouter";
import { placeOf } from "../app/place.ts";
import { Button, Field, Input } from "../kit/field.tsx";
import { DiffView } from "../kit/text/diff.tsx";
import { TryPanel } from "./try-panel.tsx";
import type { Amending, Whose } from "./use-amending.ts";
import type { Judged } from "./use-verdict.ts";
import { VerdictPanel } from "./verdict-panel.tsx";

/** Before saving: what the checks say, what it costs, what would change, and why one does it. */
export function SavePanel({
  whose,
  section,
  amending,
  judged,
}: {
  readonly whose: Whose;
  readonly section: string;
  readonly amending: Amending;
  readonly judged: Judged;
}) {
  const { stands, text, typing, unsaved, busy, locked } = amending;
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
      <TryPanel whose={whose} section={section} text={text} />
      <section aria-label="Changes">
        <h3 className="mb-1 font-medium text-soft text-xs">
          Changes{typing === "stale" && ` compared with revision ${stands.revision}`}
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
        <Field label="Reason (kept in the history)" className="min-w-56 flex-1">
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
              ? "Choose a text first"
              : unchanged
                ? "Nothing to save"
                : verdict?.kind === "held"
                  ? "Propose"
                  : `Save as revision ${next}`}
        </Button>
        <Button onClick={amending.discard}>Discard</Button>
      </form>
      <p className="text-soft text-xs">
        {refused
          ? "Not saved. Fix what is named above; your text is kept in this browser."
          : "Not saved yet. Your text is kept in this browser, even after a reload or sign-out."}{" "}
        <Link href={placeOf(whose.agent, "prompt", undefined, { user: whose.user, section })} className="underline">
          See the current prompt
        </Link>
      </p>
    </>
  );
}
