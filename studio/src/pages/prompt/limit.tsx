import { Slider } from "radix-ui";
import type { Range } from "../../assembly/assembled.ts";
import { Button } from "../../kit/button.tsx";
import { Input } from "../../kit/field.tsx";
import { useTyped } from "../../kit/use-typed.ts";
import { count } from "../../kit/words.ts";
import { stepFor } from "./asked.ts";

type LimitProps = {
  /** Between what it can be drawn; undefined until that is known. */
  readonly range: Range | undefined;
  readonly value: number | undefined;
  /** The charter's own, which holds where nothing else is said. */
  readonly usual: number | undefined;
  /** While it is drawn, and once it is let go. */
  readonly onDrag: (tokens: number) => void;
  readonly onChoose: (tokens: number | undefined) => void;
};

/** How many tokens the prompt may have: drawn by hand, and the picture follows. */
export function Limit({ range, value, usual, onDrag, onChoose }: LimitProps) {
  const { least, whole } = range ?? { least: 0, whole: 1 };
  const shown = value ?? Math.min(usual ?? whole, whole);
  const [typed, type] = useTyped(value?.toString() ?? "", (words) => onChoose(limitIn(words)), 300);
  // Where nothing gives way there is only one prompt. Its limit can be drawn all the same, to see what comes of it.
  const stiff = range !== undefined && least === whole;
  const lowest = stiff ? 0 : least;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <span id="limit" className="text-soft text-xs">
        Limit in tokens
      </span>
      <Slider.Root
        className="relative flex h-9 min-w-40 flex-1 touch-none select-none items-center"
        min={lowest}
        max={Math.max(whole, lowest + 1)}
        step={stepFor(lowest, whole)}
        disabled={whole === 0 || range === undefined}
        value={[Math.min(Math.max(shown, lowest), whole)]}
        onValueChange={([tokens]) => onDrag(tokens as number)}
        onValueCommit={([tokens]) => onChoose(tokens as number)}
      >
        <Slider.Track className="relative h-1.5 flex-1 rounded-full bg-line">
          <Slider.Range className={`absolute h-full rounded-full ${shown < least ? "bg-bad" : "bg-accent"}`} />
        </Slider.Track>
        <Slider.Thumb
          aria-label="Limit in tokens"
          className="block size-5 rounded-full border-2 border-accent bg-card shadow-sm data-[disabled]:hidden"
        />
      </Slider.Root>
      <Input
        aria-labelledby="limit"
        type="number"
        className="w-28! tabular-nums"
        min={0}
        max={999_999_999}
        step={1}
        value={typed}
        placeholder={usual === undefined ? "none" : count(usual)}
        onChange={({ target }) => type(target.value)}
      />
      <Button disabled={value === undefined} onClick={() => onChoose(undefined)}>
        No limit
      </Button>
      <p className="w-full text-soft text-xs sm:w-auto">{rangeWords(range)}</p>
    </div>
  );
}

function limitIn(words: string): number | undefined {
  return /^\d{1,9}$/.test(words) ? Number(words) : undefined;
}

function rangeWords(range: Range | undefined): string {
  if (range === undefined || range.whole === 0) return "";
  if (range.least === range.whole) return `Nothing gives way here: below ${count(range.whole)} there is no prompt.`;
  return `${count(range.least)} is the least that fits, ${count(range.whole)} the whole`;
}
