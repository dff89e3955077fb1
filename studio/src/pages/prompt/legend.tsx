import type { ReactNode } from "react";
import type { Placed } from "../../assembly/placed.ts";
import { sharesOf } from "../../assembly/placed.ts";
import { plural, share } from "../../kit/words.ts";
import type { Stratum } from "../../strata/stratum.ts";

const kinds = [
  ["fixed", "bg-fixed", "read-only"],
  ["amendable", "bg-amendable", "editable"],
  ["live", "bg-live", "generated per turn"],
] as const;

/** What the colours and marks are, and how much of the prompt is of each colour. */
export function Legend({ sections }: { readonly sections: readonly (Stratum & Pick<Placed, "trust">)[] }) {
  const shares = sharesOf(sections);
  const total = shares.fixed + shares.amendable + shares.live;
  const has = (trust: Placed["trust"]) => sections.some((section) => section.trust === trust);
  return (
    <ul aria-label="Colours and marks" className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs lg:flex-col">
      {kinds.map(([kind, fill, means]) => (
        <li key={kind} title={plural(shares[kind], "token")} className="flex items-center gap-1.5 tabular-nums">
          <span className={`size-2.5 shrink-0 rounded-[2px] ${fill}`} />
          <span>
            {kind} <span className="text-soft">{means}</span>
          </span>
          <span className="text-soft lg:ml-auto">{share(shares[kind], total)}</span>
        </li>
      ))}
      {sections.some(({ revision }) => (revision ?? 0) > 0) && (
        <Mark mark={<span className="h-3 border-accent border-l-4" />}>edited: no longer the original text</Mark>
      )}
      {sections.some(({ cut }) => cut) && (
        <Mark mark={<span className="text-[0.625rem] leading-none">▨</span>}>hatched: trimmed to fit</Mark>
      )}
      {has("user") && (
        <Mark mark={<span className="h-3 border-accent/60 border-l-2" />}>written by a user or the agent</Mark>
      )}
      {has("foreign") && (
        <Mark mark={<span className="h-3 border-bad border-l-2 border-dashed" />}>untrusted text, fenced</Mark>
      )}
    </ul>
  );
}

function Mark({ mark, children }: { readonly mark: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5 text-soft">
      <span className="flex w-2.5 justify-center">{mark}</span>
      {children}
    </li>
  );
}
