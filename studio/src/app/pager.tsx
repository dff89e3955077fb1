import { ArrowLeft, ArrowRight } from "lucide-react";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { count } from "../kit/words.ts";
import { useAsked } from "./place.ts";

/** Which stretch of a long list is looked at, from the address: `?from=50`. */
export function useStretch(size: number): { readonly from: number; readonly limit: number; readonly offset: number } {
  const [asked] = useAsked();
  const from = Math.max(0, Math.trunc(Number(asked("from") ?? 0)) || 0);
  return { from, limit: size, offset: from };
}

/** To the stretch before and after. Nothing where one page holds everything. */
export function Pager({
  from,
  shown,
  isBefore,
  size,
  more,
  total,
  words = ["Newer", "Older"],
}: {
  readonly from: number;
  readonly shown: number;
  /** The rows are those of the stretch before, until this one has come: which rows they are is not said. */
  readonly isBefore: boolean;
  readonly size: number;
  readonly more: boolean;
  /** How many there are in all, where that is known. */
  readonly total?: number | undefined;
  readonly words?: readonly [before: string, after: string];
}) {
  const [, setAsked] = useAsked();
  if (from === 0 && !more) return null;
  const go = (to: number) => setAsked({ from: to <= 0 ? undefined : String(to) }, { replace: false });
  return (
    <nav aria-label="Pages of the list" className="my-3 flex flex-wrap items-center gap-2 text-sm">
      <Button disabled={from === 0} onClick={() => go(from - size)}>
        <Icon of={ArrowLeft} /> {words[0]}
      </Button>
      <Button disabled={!more} onClick={() => go(from + size)}>
        {words[1]} <Icon of={ArrowRight} />
      </Button>
      <span className="text-soft">
        {isBefore
          ? `from ${count(from + 1)} on …`
          : shown === 0
            ? `none from ${count(from + 1)} on`
            : `${count(from + 1)}–${count(from + shown)}`}
        {total !== undefined ? ` of ${count(total)}` : more ? " and more" : ""}
      </span>
    </nav>
  );
}
