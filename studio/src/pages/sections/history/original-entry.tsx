import type { Amending } from "../../../editor/use-amending.ts";
import { Badge } from "../../../kit/icon.tsx";
import { LongText } from "../../../kit/text/long-text.tsx";
import { RevertButton } from "./revert-button.tsx";

/** Where the timeline begins: the words the section was born with. */
export function OriginalEntry({ original, amending }: { readonly original: string; readonly amending: Amending }) {
  const standing = amending.stands.revision === 0;
  return (
    <li className="relative pb-2 pl-6">
      <span
        aria-hidden="true"
        className="absolute top-1.5 left-0 size-[0.6875rem] rounded-full border-2 border-soft bg-paper"
      />
      <p className="flex flex-wrap items-center gap-x-2 text-sm">
        <strong>The original</strong>
        {standing && <Badge tone="good">current</Badge>}
        <span className="text-soft">{original === "" ? "initially empty" : "the text it started with"}</span>
      </p>
      {original !== "" && !standing && (
        <LongText text={original} max={400} className="mt-1 font-mono text-[0.8rem] text-soft" />
      )}
      {standing ? (
        <p className="mt-1 text-sm text-soft">Nobody has changed it yet.</p>
      ) : (
        <div className="mt-1.5 flex flex-wrap gap-1.5">
          <RevertButton to={0} amending={amending} />
        </div>
      )}
    </li>
  );
}
