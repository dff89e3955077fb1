import type { HistoryAnswer } from "charter/answers";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import type { Whose } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { type PublicationOutcome, publicationWords, type Typing } from "../../editor/use-amending.ts";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { SideBySide } from "../../kit/text/diff.tsx";
import { ShortCode } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import { type CoreReport, MissedRelays } from "./core-panel.tsx";
import { type Amendment, historyPath } from "./history.tsx";

type Conflict = CoreReport["conflicts"][number];

/** So many revisions after ours the other one is looked for: it is the next, unless someone was quicker still. */
const near = 20;

/** Changes that were written here and elsewhere at the same time: both texts, and a way to go on from either. */
export function Conflicts({ whose, section, conflicts, stands, told, onEdit }: ConflictsProps) {
  return (
    <ul aria-label="Written at the same time">
      {conflicts.map((conflict, index) => (
        <li key={conflict.id} className="border-line border-t">
          <OneConflict {...{ whose, section, conflict, stands, told, onEdit }} newest={index === 0} />
        </li>
      ))}
    </ul>
  );
}

type ConflictsProps = {
  readonly whose: Whose;
  readonly section: string;
  readonly conflicts: readonly Conflict[];
  /** The revision that stands. */
  readonly stands: number;
  /** The event of which both texts stand elsewhere on the page already. */
  readonly told: string | undefined;
  readonly onEdit: ((text: string) => void) | undefined;
};

type OneConflictProps = Omit<ConflictsProps, "conflicts"> & { readonly conflict: Conflict; readonly newest: boolean };

function OneConflict({ whose, section, conflict, stands, told, onEdit, newest }: OneConflictProps) {
  const { revision, at, id } = conflict;
  // Nobody has changed anything since: this is what one came to see.
  const fresh = newest && stands <= revision + 1;
  const [opened, setOpened] = useState<boolean>();
  const open = opened ?? (fresh && id !== told);
  return (
    <div className="text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpened(!open)}
        className="flex w-full gap-2 px-3 py-2 text-left hover:bg-raised"
      >
        <Icon of={open ? ChevronDown : ChevronRight} />
        <span>
          <span className={fresh ? "font-semibold text-wait" : "font-medium"}>
            Revision {revision} was written here while something else was written elsewhere
          </span>{" "}
          <span className="text-soft">· {timeText(at)}</span>
        </span>
      </button>
      {open && <Texts {...{ whose, section, conflict, stands, onEdit }} />}
    </div>
  );
}

function Texts({ whose, section, conflict, stands, onEdit }: Omit<OneConflictProps, "newest" | "told">) {
  const path = historyPath(whose, section, { limit: near + 1, before: conflict.revision + near + 1 });
  const { data, error } = useApi<HistoryAnswer>(path);
  if (error) return <Trouble problem={error} />;
  if (!data) return <Loading />;
  const texts = textsOf(conflict, data.amendments, stands);
  if (typeof texts === "string") return <p className="px-3 pb-3 text-soft">{texts}</p>;
  return (
    <div className="px-3 pb-3">
      <BothVersions {...texts} onEdit={onEdit} />
    </div>
  );
}

/** Two texts that were written at the same time, side by side. Nothing is lost; either can be gone on from. */
function BothVersions({ here, elsewhere, onEdit }: BothVersionsProps) {
  return (
    <div className="space-y-2">
      <p className="text-soft">
        On the relays the newer one is current: what was written elsewhere. What was written here is kept in the
        history. To bring it back, or to join both, edit one of them and save.
      </p>
      <SideBySide
        before={here.text}
        after={elsewhere.text}
        names={[nameOf("Written here", here), nameOf("Written elsewhere", elsewhere)]}
      />
      {onEdit && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => onEdit(here.text)}>Edit what was written here</Button>
          <Button onClick={() => onEdit(elsewhere.text)}>Edit what was written elsewhere</Button>
        </div>
      )}
    </div>
  );
}

type BothVersionsProps = {
  readonly here: Version;
  readonly elsewhere: Version;
  /** Without it nothing can be changed now. */
  readonly onEdit: ((text: string) => void) | undefined;
};

function nameOf(where: string, { by, at, revision, stands }: Version): string {
  const facts = [
    by,
    ...(at === undefined ? [] : [timeText(at)]),
    ...(revision === undefined ? [] : [`revision ${revision}`]),
    ...(stands ? ["current"] : []),
  ];
  return `${where} (${facts.join(", ")})`;
}

/** One of two texts that were written at the same time. */
export type Version = {
  readonly text: string;
  readonly revision: number | undefined;
  readonly at: string | undefined;
  readonly by: string;
  readonly stands: boolean;
};

/** Both texts of a conflict, out of the revisions after it; or why they cannot be shown. */
export function textsOf(
  conflict: { readonly revision: number; readonly by: string | null },
  amendments: readonly Pick<Amendment, "revision" | "actor" | "at" | "after" | "event">[],
  stands: number,
): { readonly here: Version; readonly elsewhere: Version } | string {
  const ours = amendments.find(({ revision }) => revision === conflict.revision);
  const theirs = amendments.find(({ event }) => event?.state === "elsewhere" && event.id === conflict.by);
  if (!ours || !theirs) return "Both texts are in the history below.";
  if (ours.after === null || theirs.after === null) return "The text of one of them was erased.";
  const facts = ({ revision, at }: typeof ours) => ({ revision, at, stands: revision === stands });
  return {
    here: { ...facts(ours), text: ours.after, by: `by the ${ours.actor}` },
    elsewhere: { ...facts(theirs), text: theirs.after, by: "with the same key" },
  };
}

/** After saving: which relays took it, which did not and why; or what was written elsewhere meanwhile. */
export function PublicationNotice({ publication, revision, onEdit }: PublicationNoticeProps) {
  const { id, state, taken, missed, conflict } = publication;
  if (conflict)
    return (
      <>
        <p>
          <strong className="text-wait">
            Saved as revision {revision}, but something else was written elsewhere at the same time.
          </strong>
        </p>
        <BothVersions
          here={{ text: conflict.ours, revision, by: "by you", at: undefined, stands: false }}
          elsewhere={{
            text: conflict.theirs,
            revision: undefined,
            by: "with the same key",
            at: undefined,
            stands: true,
          }}
          onEdit={onEdit}
        />
      </>
    );
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        <strong className={state === "published" ? "text-good" : "text-wait"}>{publicationWords(publication)}</strong>
        <ShortCode what="event" code={id} />
        {missed.length > 0 && taken.length > 0 && (
          <span className="text-soft [overflow-wrap:anywhere]">{taken.join(", ")} took it.</span>
        )}
      </p>
      <MissedRelays missed={missed} />
    </>
  );
}

type PublicationNoticeProps = {
  readonly publication: PublicationOutcome;
  /** The revision that it was saved as. */
  readonly revision: number;
  readonly onEdit: ((text: string) => void) | undefined;
};

type CoreEvent = NonNullable<Amendment["event"]>;

const became: Readonly<Record<CoreEvent["state"], { readonly says: string; readonly ink: string }>> = {
  published: { says: "published", ink: "text-good" },
  waiting: { says: "not published yet", ink: "text-wait" },
  superseded: { says: "not kept there: something newer was written elsewhere at the same time", ink: "text-wait" },
  replaced: { says: "a later change was published instead", ink: "text-soft" },
  elsewhere: { says: "signed with the same key,", ink: "text-soft" },
};

/** A revision of a core memory: its event, and whether the relays have it. */
export function RevisionEvent({ event, reason }: { readonly event: CoreEvent; readonly reason: string | null }) {
  const { id, state, relay } = event;
  const { says, ink } = became[state];
  const replaced = state === "elsewhere" && reason?.includes("replaced by a later change");
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-sm">
      <span className="text-soft">Event</span>
      <ShortCode what="event" code={id} />
      <span className={ink}>{says}</span>
      {relay !== null && (
        <span className="text-soft [overflow-wrap:anywhere]">
          found on <code>{relay}</code>
        </span>
      )}
      {replaced && <span className="text-soft">replaced by the later change above</span>}
    </p>
  );
}

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
