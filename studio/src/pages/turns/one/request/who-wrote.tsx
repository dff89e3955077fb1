import { useState } from "react";
import { ToSection } from "../../../../billing/links.tsx";
import { plural, sourceText } from "../../../../kit/words.ts";
import type { Stretch } from "./stretches.ts";

const tints = {
  fixed: "bg-fixed-tint text-fixed-ink",
  amendable: "bg-amendable-tint text-amendable-ink",
  live: "bg-live-tint text-live-ink",
} as const;

const maxAtFirst = 40;

/** The sections of a slot by name, to go to each by keys as well; and who wrote the words that were chosen. */
export function WhoWrote(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly stretches: readonly Stretch[];
  readonly chosen: Stretch | undefined;
  readonly onChoose: (stretch: Stretch | undefined) => void;
}) {
  const { agent, user, stretches, chosen, onChoose } = props;
  const [all, setAll] = useState(false);
  const firsts = stretches.filter(({ section }, index) => stretches[index - 1]?.section !== section);
  const shown = all ? firsts : firsts.slice(0, maxAtFirst);
  return (
    <footer className="space-y-1.5 border-line border-t px-3 py-2 text-xs">
      <div className="flex flex-wrap gap-1">
        {shown.map((stretch) => (
          <button
            key={stretch.start}
            type="button"
            aria-pressed={chosen?.section === stretch.section}
            onClick={() => onChoose(chosen?.section === stretch.section ? undefined : stretch)}
            className={`rounded px-1.5 py-0.5 [overflow-wrap:anywhere] hover:underline aria-pressed:outline-2 aria-pressed:outline-accent ${tints[stretch.mutability]}`}
          >
            <bdi>{stretch.section}</bdi>
          </button>
        ))}
        {shown.length < firsts.length && (
          <button type="button" onClick={() => setAll(true)} className="px-1.5 text-accent underline">
            and {firsts.length - shown.length} more
          </button>
        )}
      </div>
      {chosen && (
        <p role="status" className="[overflow-wrap:anywhere]">
          <ToSection agent={agent} section={chosen.section} user={user} revision={chosen.revision} />:{" "}
          {chosen.mutability}, layer {chosen.layer}, from “{sourceText(chosen.source)}”
          {chosen.revision !== null && `, revision ${chosen.revision}`}
          {chosen.trust !== "own" && `, ${chosen.trust === "user" ? "the user’s" : "untrusted"} text`}
          {chosen.part !== undefined && `, part “${chosen.part}”`}, {plural(chosen.end - chosen.start, "character")}
        </p>
      )}
    </footer>
  );
}
