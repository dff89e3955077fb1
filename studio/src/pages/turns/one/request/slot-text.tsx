import { useEffect, useMemo, useRef } from "react";
import { opening } from "../../../../kit/text/long-text.tsx";
import { count } from "../../../../kit/words.ts";
import { partsOf, piecesOf, type Stretch } from "./stretches.ts";

const shownAtFirst = 6_000;
const partSize = 8_000;

const tints = {
  fixed: "bg-fixed-tint hover:bg-fixed/30",
  amendable: "bg-amendable-tint hover:bg-amendable/30",
  live: "bg-live-tint hover:bg-live/30",
} as const;

/**
 * The words of a slot, each section's stretch in its colour; a click chooses one. Of long ones the beginning stands here
 * at first, and a stretch that is chosen further on brings its own surroundings.
 */
export function SlotText(props: {
  readonly label: string;
  readonly text: string;
  readonly stretches: readonly Stretch[];
  readonly chosen: Stretch | undefined;
  readonly onChoose: (stretch: Stretch | undefined) => void;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}) {
  const { label, text, stretches, chosen, onChoose, open, onOpen } = props;
  const first = useMemo(() => opening(text, shownAtFirst).length, [text]);
  const all = open || (chosen !== undefined && chosen.start >= first);
  const parts = useMemo(
    (): ReturnType<typeof partsOf> => (all ? partsOf(text, partSize) : [[0, first]]),
    [all, text, first],
  );
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (chosen) box.current?.querySelector(`[data-start="${chosen.start}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  if (text === "") return <p className="px-3 py-2 text-sm text-soft">Nothing was sent in it.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list of sections under the words is for the keys. */}
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys.
        tabIndex={0}
        aria-label={label}
        onClick={({ target }) => {
          const start = (target as Element).closest<HTMLElement>("[data-start]")?.dataset.start;
          if (start !== undefined) onChoose(piecesOf(text, stretches, Number(start), Number(start) + 1)[0]?.stretch);
        }}
        className="max-h-[32rem] overflow-y-auto px-3 py-2 font-mono text-[0.8rem] leading-relaxed"
      >
        {parts.map(([from, to]) => (
          <div
            key={from}
            className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${parts.length > 1 ? "[contain-intrinsic-size:auto_600px] [content-visibility:auto]" : ""}`}
          >
            {piecesOf(text, stretches, from, to).map(({ text, start, stretch }) =>
              stretch === undefined ? (
                <bdi key={start}>{text}</bdi>
              ) : (
                <bdi
                  key={start}
                  data-start={start}
                  title={`${stretch.section}${stretch.revision === null ? "" : `, revision ${stretch.revision}`}`}
                  className={`cursor-pointer [box-decoration-break:clone] ${tints[stretch.mutability]} ${stretch.start === chosen?.start ? "outline-2 outline-accent" : ""}`}
                >
                  {text}
                </bdi>
              ),
            )}
          </div>
        ))}
      </section>
      {first < text.length && (
        <p className="border-line border-t px-3 py-1">
          <button
            type="button"
            aria-expanded={all}
            onClick={() => {
              if (all && chosen) onChoose(undefined);
              else onOpen(!all);
            }}
            className="font-medium text-accent text-xs underline"
          >
            {all ? "Show the beginning" : `Show all ${count(text.length)} characters`}
          </button>
        </p>
      )}
    </>
  );
}
