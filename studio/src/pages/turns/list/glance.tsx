import { placeOf } from "../../../app/place.ts";
import { allOf, billOf } from "../../../billing/bill.ts";
import { To, ToUser } from "../../../billing/links.tsx";
import {
  type Changed,
  changesBetween,
  type Sample,
  type SentSection,
  slotNames,
  tokensIn,
} from "../../../billing/sample.ts";
import { count, dollars, plural, share, timeText } from "../../../kit/words.ts";
import { Happenings } from "../happenings.tsx";
import { TurnState } from "../state.tsx";

/** What the sample one looks at is, beneath the picture; and how it differs from the one on its left. */
export function Glance(props: {
  readonly agent: string;
  readonly sample: Sample;
  readonly left: Sample | undefined;
  readonly section: string | undefined;
}) {
  const { agent, sample, left, section } = props;
  const { turn, scope, channel, input, steps, cost, sections } = sample;
  const bill = billOf(sample);
  const looked = sections.filter(({ name }) => name === section);
  return (
    <div className="min-h-38 space-y-1.5 border-line border-t pt-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <To href={placeOf(agent, "turns", turn)}>{timeText(sample.startedAt)}</To>
        <span>
          <ToUser agent={agent} user={scope.user} />
          {channel !== null && <span className="text-soft"> on {channel}</span>}
        </span>
        <TurnState state={sample.state} />
        <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
          {input === "" ? <span className="text-soft">no input</span> : `“${input}”`}
        </span>
      </p>
      <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-soft tabular-nums">
        {sections.length > 0 && (
          <span>
            {plural(tokensIn(sections), "token")} in {plural(sections.length, "section")}
          </span>
        )}
        {sample.history !== null && <span>history {count(sample.history)}</span>}
        <span>{plural(steps, "step")}</span>
        {bill && allOf(bill) > 0 && <span>{share(bill.read, allOf(bill))} read from the cache</span>}
        {cost !== null && <span>{dollars(cost)}</span>}
      </p>
      {left && sections.length > 0 && left.sections.length > 0 && (
        <Steps changes={changesBetween(left.sections, sections)} />
      )}
      <Happenings sample={sample} agent={agent} />
      {looked.map((one) => (
        <Looked key={one.slot} section={one} />
      ))}
    </div>
  );
}

const maxChanges = 6;

function Steps({ changes }: { readonly changes: readonly Changed[] }) {
  if (changes.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5">
      <span className="text-soft">Since the turn before:</span>
      {changes.slice(0, maxChanges).map(({ name, slot, before, after }) => (
        <span key={slot + name} className="tabular-nums">
          <bdi className="font-medium [overflow-wrap:anywhere]">{name}</bdi>
          {slot === "update" && <span className="text-soft"> (sent as an update)</span>}{" "}
          {before === undefined ? "new, " : after === undefined ? "" : `${count(before)} → `}
          {after === undefined ? "gone" : count(after)}
        </span>
      ))}
      {changes.length > maxChanges && <span className="text-soft">and {changes.length - maxChanges} more</span>}
    </p>
  );
}

const inks = { fixed: "text-fixed-ink", amendable: "text-amendable-ink", live: "text-live-ink" } as const;

function Looked({ section }: { readonly section: SentSection }) {
  const { name, layer, mutability, tokens, revision, slot, cut } = section;
  return (
    <p className={`tabular-nums ${inks[mutability]}`}>
      <bdi className="font-medium [overflow-wrap:anywhere]">{name}</bdi>: {mutability}, layer {layer}
      {tokens !== null && `, ${plural(tokens, "token")}`}
      {revision !== null && `, revision ${revision}`}, {slotNames[slot] ?? slot}
      {cut && ", trimmed"}
    </p>
  );
}
