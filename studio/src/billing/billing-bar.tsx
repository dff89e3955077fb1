import { count } from "../kit/words.ts";
import { allOf, type Billing } from "./bill.ts";

export type Tone = "fixed" | "amendable" | "live" | "plain";

/** Hollow is read from the cache, half full is written to it, full is neither: the fuller, the dearer. */
export const solidity: Readonly<Record<Tone, Readonly<Record<keyof Billing, string>>>> = {
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
export function BillingBar(props: { readonly billing: Billing | null; readonly most: number; readonly tone: Tone }) {
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
