import { Slider } from "radix-ui";
import { type KeyboardEvent, useMemo, useState } from "react";
import type { Range } from "../../assembly/assembled.ts";
import { handFill } from "../../kit/hand.tsx";
import { useSize } from "../../kit/window.ts";
import { count, plural } from "../../kit/words.ts";
import { stepFor } from "./controls.tsx";
import type { Block } from "./document.ts";

type RibbonProps = {
  readonly blocks: readonly Block[];
  readonly total: number;
  /** So many tokens from its beginning are read from the cache: as they were billed, or as it is predicted. */
  readonly cached: { readonly tokens: number; readonly how: "billed" | "predicted" } | undefined;
  readonly selected: string | undefined;
  readonly onSelect: (block: Block) => void;
  readonly limit: LimitHandle | undefined;
};

/** The lower edge, which can be drawn: between the fewest tokens the prompt fits into and all of it. */
export type LimitHandle = {
  readonly range: Range | undefined;
  readonly value: number | undefined;
  /** Somebody reaches for it: only then is the range worked out. */
  readonly onReach: () => void;
  readonly onDrag: (tokens: number) => void;
  readonly onChoose: (tokens: number | undefined) => void;
};

/** The whole request, thin: as high as it has tokens, in the colours of the hands, what is read from the cache shaded. */
export function Ribbon({ blocks, total, cached, selected, onSelect, limit }: RibbonProps) {
  const [box, { height }] = useSize<HTMLDivElement>();
  const [at, setAt] = useState(0);
  const scale = total === 0 ? 0 : height / total;
  const bands = useMemo(() => bandsOf(blocks, scale), [blocks, scale]);
  const moved = (event: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: bands.length - 1 }[event.key];
    if (to !== undefined) setAt(Math.min(Math.max(to, 0), bands.length - 1));
    else if (event.key === "Enter") onSelect((bands[at] as Band).block);
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex h-full min-h-0 flex-col gap-1">
      <div ref={box} className="relative min-h-0 flex-1">
        <div
          role="listbox"
          aria-label="The request by tokens"
          tabIndex={0}
          aria-activedescendant={bands.length > 0 ? `band-${at}` : undefined}
          onKeyDown={moved}
          className="group absolute inset-y-0 right-0 left-3 overflow-hidden rounded"
        >
          {bands.map(({ block, top, tokens, more }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys.
            <div
              key={block.name}
              id={`band-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={block.name === selected}
              aria-label={`${titleOf(block)}${more > 0 ? ` and ${plural(more, "more", "more")}` : ""}, ${plural(tokens, "token")}, ${block.hand}`}
              title={`${titleOf(block)} · ${plural(tokens, "token")}`}
              onClick={() => onSelect(block)}
              className={`absolute inset-x-0 cursor-pointer border-paper border-b hover:opacity-80 ${handFill[block.hand]} ${block.part === "history" ? "opacity-55" : ""} ${index === at ? "group-focus-visible:outline-2 group-focus-visible:outline-ink group-focus-visible:-outline-offset-2" : ""} ${block.name === selected ? "outline-2 outline-ink -outline-offset-2" : ""}`}
              style={{ top: top * scale, height: Math.max(1, tokens * scale) }}
            />
          ))}
        </div>
        {cached && cached.tokens > 0 && (
          <div
            role="img"
            aria-label={`Read from the cache, ${cached.how}: ${plural(cached.tokens, "token")}`}
            title={`Read from the cache, ${cached.how}: ${plural(cached.tokens, "token")}`}
            className={`absolute left-0 w-2 rounded-sm border-2 border-accent ${cached.how === "billed" ? "bg-accent" : "border-dashed bg-accent/25"}`}
            style={{ top: 0, height: cached.tokens * scale }}
          />
        )}
        {limit && <Edge limit={limit} total={total} scale={scale} />}
      </div>
      <p className="text-center text-soft text-xs tabular-nums">{count(total)}</p>
    </div>
  );
}

type EdgeProps = { readonly limit: LimitHandle; readonly total: number; readonly scale: number };

/** The edge that is drawn upwards: what it leaves out stands behind it. */
function Edge({ limit, total, scale }: EdgeProps) {
  const { range, value, onReach, onDrag, onChoose } = limit;
  if (range === undefined || range.least >= range.whole)
    return (
      <button
        type="button"
        aria-label="Try a smaller limit"
        title={range ? "Nothing in this prompt can be trimmed" : "Try a smaller limit"}
        onClick={onReach}
        onPointerEnter={onReach}
        onFocus={onReach}
        className="absolute right-0 -bottom-1 left-3 h-3 cursor-ns-resize rounded border border-ink/40 bg-card"
      />
    );
  const { least, whole } = range;
  const shown = Math.min(Math.max(value ?? whole, least), whole);
  // No thinner than a hand can draw it, wherever the prompt is a small part of the request.
  const high = Math.max((whole - least) * scale, Math.min(90, total * scale));
  const part = (whole - shown) / (whole - least);
  return (
    <>
      <div
        aria-hidden="true"
        className="pointer-events-none absolute right-0 bottom-0 left-3 border-ink border-t-2 bg-[repeating-linear-gradient(45deg,var(--color-paper)_0_3px,transparent_3px_6px)]"
        style={{ height: high * part }}
      />
      <Slider.Root
        orientation="vertical"
        className="absolute right-0 bottom-0 left-3 flex touch-none select-none justify-center"
        style={{ height: high }}
        inverted
        min={least}
        max={whole}
        step={stepFor(least, whole)}
        value={[shown]}
        onValueChange={([tokens]) => onDrag(tokens as number)}
        onValueCommit={([tokens]) => onChoose((tokens as number) >= whole ? undefined : (tokens as number))}
      >
        <Slider.Track className="h-full w-full opacity-0" />
        <Slider.Thumb
          aria-label="Limit in tokens"
          className="block h-3 w-12 cursor-ns-resize rounded border-2 border-ink bg-card shadow-sm"
        />
      </Slider.Root>
    </>
  );
}

type Band = { readonly block: Block; readonly top: number; readonly tokens: number; readonly more: number };

/** So high is the thinnest band that can be pointed at, in pixels: thinner ones that follow each other are one. */
const thinnest = 3;

export function bandsOf(blocks: readonly Block[], scale: number): readonly Band[] {
  const bands: Band[] = [];
  let top = 0;
  for (const block of blocks) {
    const last = bands.at(-1);
    const thin = last && last.block.part === block.part && last.tokens * scale < thinnest;
    if (last && thin) {
      // The band is the larger one's, and tells of the others.
      const larger = block.tokens > last.block.tokens ? block : last.block;
      const tokens = last.tokens + block.tokens;
      bands[bands.length - 1] = { block: larger, top: last.top, tokens, more: last.more + 1 };
    } else bands.push({ block, top, tokens: block.tokens, more: 0 });
    top += block.tokens;
  }
  return bands;
}

/** What a block is called where there is a line for it. */
export function titleOf(block: Block): string {
  if (block.kind === "tools") return "Tools";
  if (block.kind === "section") return block.section.name;
  if (block.kind !== "message") return `Update of ${block.section.name}`;
  const { role, said } = block;
  if (said?.kind === "summary") return "Summary of what was said before";
  if (said?.kind === "schedule") return `Schedule ${said.schedule ?? ""}`;
  if (said?.kind === "note") return "Note";
  return role === "tool" ? "Tool results" : role === "assistant" ? "Agent" : "User";
}
