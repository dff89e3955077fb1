import { type PublicationOutcome, publicationWords } from "../../../editor/publication-words.ts";
import { ShortCode } from "../../../kit/text-link.tsx";
import { BothVersions } from "./both-versions.tsx";
import { MissedRelays } from "./missed-relays.tsx";

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
