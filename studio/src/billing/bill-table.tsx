import { useMemo, useState } from "react";
import { Badge } from "../kit/icon.tsx";
import { count } from "../kit/words.ts";
import { allOf, type Billing, type BillRow, billRows, longest } from "./bill.ts";
import { ToSection } from "./links.tsx";
import { type SampleStep, slotNames } from "./sample.ts";

const atFirst = 60;
const head = "pb-1 pr-4 text-left font-medium text-soft text-xs last:pr-0";
const cell = "py-1 pr-4 align-top last:pr-0";
const dots = { fixed: "bg-fixed", amendable: "bg-amendable", live: "bg-live", plain: "bg-soft" } as const;

/** What each section of a step was predicted to be billed as, beside what it was billed as. */
export function BillTable(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly step: SampleStep;
}) {
  const { agent, user, step } = props;
  const rows = useMemo(() => billRows(step), [step]);
  const max = useMemo(() => longest(rows.slice(0, -1)), [rows]);
  const [all, setAll] = useState(false);
  const lines = rows.slice(0, -1);
  const last = rows.at(-1) as BillRow;
  const shown = all ? lines : lines.slice(0, atFirst);
  return (
    <div className="min-w-0 space-y-2">
      <SolidityLegend />
      <table className="w-full text-sm">
        <caption className="sr-only">Tokens of step {step.step}, section by section: predicted and billed</caption>
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className={head}>
              Section
            </th>
            <th scope="col" className={`${head} hidden text-right sm:table-cell`}>
              Tokens
            </th>
            <th scope="col" className={`${head} w-[30%] sm:w-[34%]`}>
              Predicted
            </th>
            <th scope="col" className={`${head} w-[30%] sm:w-[34%]`}>
              Billed
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Line key={row.key} row={row} max={max} agent={agent} user={user} />
          ))}
          {shown.length < lines.length && (
            <tr>
              <td colSpan={4} className={cell}>
                <button type="button" onClick={() => setAll(true)} className="text-accent underline">
                  Show all {count(lines.length)}
                </button>
              </td>
            </tr>
          )}
          <Line row={last} max={longest([last])} agent={agent} user={user} />
        </tbody>
      </table>
    </div>
  );
}

type LineProps = {
  readonly row: BillRow;
  readonly max: number;
  readonly agent: string;
  readonly user: string | undefined;
};

function Line({ row, max: most, agent, user }: LineProps) {
  const { section, what, tone, slot, revision, cut, tokens, predicted, billed } = row;
  return (
    <tr className={`border-line/60 border-b last:border-0 last:font-medium `}>
      <th scope="row" className={`${cell} text-left font-normal [overflow-wrap:anywhere]`}>
        <span className={`mr-1.5 inline-block size-2 rounded-sm ${dots[tone]}`} />
        {section === undefined ? (
          what
        ) : (
          <ToSection agent={agent} section={section} user={user} revision={revision}>
            {what}
          </ToSection>
        )}
        <span className="text-soft text-xs">
          {revision !== null && ` revision ${revision}`}
          {slot !== undefined && slot !== "system" && ` ${slotNames[slot] ?? slot}`}
          {tokens !== null && <span className="sm:hidden"> {count(tokens)} tokens</span>}
        </span>
        {cut && <Badge tone="wait">cut</Badge>}
      </th>
      <td className={`${cell} hidden text-right tabular-nums sm:table-cell`}>
        {tokens === null ? "–" : count(tokens)}
      </td>
      <td className={cell}>
        <BillingBar billing={predicted} most={most} tone={tone} />
      </td>
      <td className={cell}>
        <BillingBar billing={billed} most={most} tone={tone} />
      </td>
    </tr>
  );
}

export type Tone = "fixed" | "amendable" | "live" | "plain";

/** Hollow is read from the cache, half full is written to it, full is neither: the fuller, the dearer. */
const solidity: Readonly<Record<Tone, Readonly<Record<keyof Billing, string>>>> = {
  fixed: { read: "bg-fixed-tint border-fixed", written: "bg-fixed/60 border-fixed", fresh: "bg-fixed border-fixed" },
  amendable: {
    read: "bg-amendable-tint border-amendable",
    written: "bg-amendable/60 border-amendable",
    fresh: "bg-amendable border-amendable",
  },
  live: { read: "bg-live-tint border-live", written: "bg-live/60 border-live", fresh: "bg-live border-live" },
  plain: { read: "bg-raised border-soft", written: "bg-soft/60 border-soft", fresh: "bg-soft border-soft" },
};

const kinds = ["read", "written", "fresh"] as const;

/** Tokens by what they are billed as, as long as they are many, and in figures. `most` fills the width. */
function BillingBar(props: { readonly billing: Billing | null; readonly most: number; readonly tone: Tone }) {
  const { billing, most, tone } = props;
  if (billing === null) return <span className="text-soft">–</span>;
  const given = kinds.filter((kind) => billing[kind] > 0);
  return (
    <span className="block min-w-16">
      <span
        aria-hidden="true"
        className="flex h-2.5 gap-px"
        style={{ width: `${most === 0 ? 0 : Math.max(1, (100 * allOf(billing)) / most)}%` }}
      >
        {given.map((kind) => (
          <span
            key={kind}
            className={`min-w-[3px] rounded-[2px] border ${solidity[tone][kind]}`}
            style={{ flexGrow: billing[kind], flexBasis: 0 }}
          />
        ))}
      </span>
      <span className="text-soft text-xs tabular-nums">
        {given.length === 0 ? "0" : given.map((kind) => `${count(billing[kind])} ${kind}`).join(" · ")}
      </span>
    </span>
  );
}

/** What hollow, half full and full mean. */
export function SolidityLegend() {
  const says = { read: "read from the cache", written: "written to the cache", fresh: "fresh" };
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
      {kinds.map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span className={`h-2.5 w-4 rounded-[2px] border ${solidity.plain[kind]}`} />
          {says[kind]}
        </li>
      ))}
    </ul>
  );
}
