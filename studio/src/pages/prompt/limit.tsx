import { Slider } from "radix-ui";
import type { Range } from "../../assembly/assembled.ts";
import { Button } from "../../kit/button.tsx";
import { Input } from "../../kit/field.tsx";
import { useTyped } from "../../kit/use-typed.ts";
import { count, plural } from "../../kit/words.ts";
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

/** How many tokens the prompt may have: drawn by hand, and the picture follows. Where nothing can be trimmed, that is said. */
export function Limit(props: LimitProps) {
  const { range, value, onChoose } = props;
  if (range === undefined || range.whole === 0) return null;
  if (range.least < range.whole) return <Drawn {...props} range={range} />;
  return (
    <p className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2 text-soft text-sm">
      Nothing can be trimmed; at least {plural(range.whole, "token")} {range.whole === 1 ? "is" : "are"} needed.
      {value !== undefined && <Button onClick={() => onChoose(undefined)}>Remove the limit of {count(value)}</Button>}
    </p>
  );
}

function Drawn({ range, value, usual, onDrag, onChoose }: LimitProps & { readonly range: Range }) {
  const { least, whole } = range;
  const shown = value ?? Math.min(usual ?? whole, whole);
  const [typed, type] = useTyped(value?.toString() ?? "", (words) => onChoose(limitIn(words)), 300);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <span id="limit" className="text-soft text-xs">
        Limit in tokens
      </span>
      <Slider.Root
        className="relative flex h-9 min-w-40 flex-1 touch-none select-none items-center"
        min={least}
        max={whole}
        step={stepFor(least, whole)}
        value={[Math.min(Math.max(shown, least), whole)]}
        onValueChange={([tokens]) => onDrag(tokens as number)}
        onValueCommit={([tokens]) => onChoose(tokens as number)}
      >
        <Slider.Track className="relative h-1.5 flex-1 rounded-full bg-line">
          <Slider.Range className={`absolute h-full rounded-full ${shown < least ? "bg-bad" : "bg-accent"}`} />
        </Slider.Track>
        <Slider.Thumb
          aria-label="Limit in tokens"
          className="block size-5 rounded-full border-2 border-accent bg-card shadow-sm"
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
      <p className="w-full text-soft text-xs sm:w-auto">
        {count(whole)} untrimmed; at least {count(least)} needed
      </p>
    </div>
  );
}

function limitIn(words: string): number | undefined {
  return /^\d{1,9}$/.test(words) ? Number(words) : undefined;
}
