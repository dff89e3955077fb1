import { Button } from "../../../kit/field.tsx";
import { SideBySide } from "../../../kit/text/diff.tsx";
import { timeText } from "../../../kit/words.ts";
import type { Version } from "./conflict-texts.ts";

/** Two texts that were written at the same time, side by side. Nothing is lost; either can be gone on from. */
export function BothVersions({ here, elsewhere, onEdit }: BothVersionsProps) {
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
