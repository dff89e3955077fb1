import type { HistoryAnswer } from "charter/answers";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import { useApi } from "../../../api/query-client.ts";
import { Loading, Trouble } from "../../../app/page.tsx";
import type { Whose } from "../../../editor/use-amending.ts";
import { Icon } from "../../../kit/icon.tsx";
import { timeText } from "../../../kit/words.ts";
import { historyPath } from "../history/use-history.ts";
import { BothVersions } from "./both-versions.tsx";
import { textsOf } from "./conflict-texts.ts";
import type { CoreReport } from "./use-core.ts";

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
