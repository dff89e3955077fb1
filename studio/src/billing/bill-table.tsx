import { useMemo, useState } from "react";
import { Badge } from "../kit/icon.tsx";
import { count } from "../kit/words.ts";
import { type BillRow, billRows, longest } from "./bill-rows.ts";
import { BillingBar, SolidityLegend } from "./billing-bar.tsx";
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
  readonly selected: string | undefined;
}) {
  const { agent, user, step, selected } = props;
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
            <Line
              key={row.key}
              row={row}
              max={max}
              agent={agent}
              user={user}
              selected={selected !== undefined && row.section === selected}
            />
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
          <Line row={last} max={longest([last])} agent={agent} user={user} selected={false} />
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
  readonly selected: boolean;
};

function Line({ row, max: most, agent, user, selected }: LineProps) {
  const { section, what, tone, slot, revision, cut, tokens, predicted, billed } = row;
  return (
    <tr className={`border-line/60 border-b last:border-0 last:font-medium ${selected ? "bg-raised" : ""}`}>
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
