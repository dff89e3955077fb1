import type { Cut, Omission } from "charter";
import type { NextRequestAnswer } from "charter/answers";
import { useMemo } from "react";
import { Trouble } from "../../app/page.tsx";
import { finalCuts, type Range } from "../../assembly/assembled.ts";
import type { Assembling } from "../../assembly/use-assembled.ts";
import { Button, Input, useTyped } from "../../kit/field.tsx";
import { LongList } from "../../kit/list.tsx";
import { count, plural } from "../../kit/words.ts";

type LimitPanelProps = {
  readonly range: Range | undefined;
  readonly value: number | undefined;
  readonly assembling: Assembling;
  readonly request: NextRequestAnswer;
  readonly onChoose: (tokens: number | undefined) => void;
  /** Brings a section into view. */
  readonly onShow: (section: string) => void;
};

/** What a limit leaves out of the prompt, in the order it gives way; and when the history would be summed up. */
export function LimitPanel({
  range,
  value,
  assembling: { data, problem },
  request,
  onChoose,
  onShow,
}: LimitPanelProps) {
  const [typed, type] = useTyped(value?.toString() ?? "", (words) => onChoose(limitIn(words)), 300);
  const cuts = useMemo(() => finalCuts(data?.cuts ?? []), [data]);
  const { history } = request.tokens;
  return (
    <section aria-label="A smaller limit" className="space-y-2 text-sm">
      <h2 className="font-semibold">A smaller limit</h2>
      {range && range.least >= range.whole ? (
        <p className="text-soft">
          Nothing can be trimmed; at least {plural(range.whole, "token")} {range.whole === 1 ? "is" : "are"} needed.
        </p>
      ) : (
        <p className="flex flex-wrap items-center gap-2">
          <Input
            aria-label="The limit in tokens"
            type="number"
            className="w-28! tabular-nums"
            min={0}
            max={999_999_999}
            step={1}
            value={typed}
            placeholder="none"
            onChange={({ target }) => type(target.value)}
          />
          <Button disabled={value === undefined} onClick={() => onChoose(undefined)}>
            No limit
          </Button>
        </p>
      )}
      {range && range.least < range.whole && (
        <p className="text-soft text-xs">
          The prompt: {count(range.whole)} untrimmed; at least {count(range.least)} needed
        </p>
      )}
      <Trouble problem={problem} />
      {value !== undefined && !data && !problem && <p className="text-soft">Working it out…</p>}
      {value !== undefined && data && !problem && (
        <>
          <p className="text-soft">
            The prompt would have{" "}
            <span className="font-medium text-ink tabular-nums">{plural(data.tokens.total, "token")}</span> in{" "}
            {plural(data.sections.length, "section")}.
          </p>
          <h3 className="font-medium">
            Trimmed to fit <span className="font-normal text-soft tabular-nums">{count(cuts.length)}</span>
          </h3>
          {cuts.length === 0 ? (
            <p className="text-soft">Nothing. Every section is complete.</p>
          ) : (
            <LongList
              items={cuts}
              label="Trimmed to fit"
              keyOf={({ section, unit, form }, index) => `${section} ${form} ${unit} ${index}`}
              draw={(cut) => (
                <p className="[overflow-wrap:anywhere]">
                  <button type="button" className="font-medium hover:underline" onClick={() => onShow(cut.section)}>
                    <bdi>{cut.section}</bdi>
                  </button>{" "}
                  <span className="text-soft">{cutWords(cut)}</span>
                </p>
              )}
            />
          )}
        </>
      )}
      {request.compactAt !== null && (
        <p className="text-soft">
          The history has {plural(history, "token")}. It is summed up
          {history > request.compactAt
            ? " before the next request."
            : ` from ${count(request.compactAt)} on: ${count(request.compactAt - history)} more.`}
        </p>
      )}
    </section>
  );
}

function limitIn(words: string): number | undefined {
  return /^\d{1,9}$/.test(words) ? Number(words) : undefined;
}

/** What was trimmed of a section, in words that go on after its name. */
export function cutWords({ form, kept, missing, unit }: Cut): string {
  const all = kept + missing;
  if (form === "dropped") return missing === 1 ? "is left out" : `is left out: all ${plural(all, ...named(unit))}`;
  if (form === "compact" && unit === "characters")
    return `uses its short form: ${count(kept)} of ${plural(all, "character")}`;
  if (unit === "characters") return `shows its first ${count(kept)} of ${plural(all, "character")}`;
  if (form === "shortened") return `shortened ${count(missing)} of ${plural(all, ...named(unit))}`;
  return `lost ${count(missing)} of ${plural(all, ...named(unit))}`;
}

/** Kinds of parts are named in the singular, and “parts” where they have no name. */
function named(unit: string): [one: string, many: string] {
  if (unit === "parts") return ["part", "parts"];
  return [unit, unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : unit.endsWith("s") ? unit : `${unit}s`];
}

/** Why a section is not in the prompt, in plain words that go on after its name. */
export function omissionWords({ reason }: Omission): string {
  return {
    empty: "is empty",
    unavailable: "could not be read",
    "gave-way": "was trimmed to fit",
    "not-in-edition": "is not in the compact edition",
  }[reason];
}
