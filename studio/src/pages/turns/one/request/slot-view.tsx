import type { SentSlot } from "charter";
import { useMemo } from "react";
import { Button } from "../../../../kit/field.tsx";
import { Copy } from "../../../../kit/text-link.tsx";
import { count, plural } from "../../../../kit/words.ts";
import type { Folds } from "./folds.ts";
import { Proof } from "./proof.tsx";
import { SlotText } from "./slot-text.tsx";
import { piecesOf, stretchesOf } from "./stretches.ts";
import { WhoWrote } from "./who-wrote.tsx";

/** Text of the prompt where it stood in the request: exact, proved by its digest, each section's stretch in its colour. */
export function SlotView(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly title: string;
  readonly place: string;
  readonly part: string;
  readonly text: string;
  readonly slot: SentSlot;
  readonly file: string;
  readonly breakpoint?: string | undefined;
  readonly folds: Folds;
}) {
  const { agent, user, title, place, part, text, slot, file, breakpoint, folds } = props;
  const stretches = useMemo(() => stretchesOf(slot), [slot]);
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const start = folds.chosenIn(part);
  const chosen = start === undefined ? undefined : piecesOf(text, stretches, start, start + 1)[0]?.stretch;
  const choose = (stretch: { readonly start: number } | undefined) => folds.choose(part, stretch?.start);
  const label = `Slot ${slot.slot}${slot.message === undefined ? "" : `, message ${slot.message + 1}`}`;
  return (
    <section aria-label={label} className="min-w-0 rounded-md border border-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5 text-sm">
        <h5 className="font-medium [overflow-wrap:anywhere]">
          {title} <span className="font-normal text-soft">{place}</span>
        </h5>
        <span className="text-soft tabular-nums">
          {plural(text.length, "character")}, {plural(bytes, "byte")}
        </span>
        {breakpoint !== undefined && <span className="text-soft text-xs [overflow-wrap:anywhere]">{breakpoint}</span>}
        {slot.digest !== "" && <Proof text={text} digest={slot.digest} />}
        <span className="ml-auto flex gap-1">
          <Copy text={text} />
          <Button kind="quiet" onClick={() => download(text, file)}>
            Download
          </Button>
        </span>
      </header>
      <SlotText
        label={`Text of ${label}`}
        text={text}
        stretches={stretches}
        chosen={chosen}
        onChoose={choose}
        open={folds.isOpen(part)}
        onOpen={(open) => folds.setOpen(part, open)}
      />
      <WhoWrote agent={agent} user={user} stretches={stretches} chosen={chosen} onChoose={choose} />
    </section>
  );
}

export function download(text: string, file: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}

/** Where a message stands, counted from 1. */
export const placeText = (index: number | undefined): string =>
  index === undefined ? "" : `message ${count(index + 1)}`;
