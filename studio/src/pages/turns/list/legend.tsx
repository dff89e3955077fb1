import type { ReactNode } from "react";
import { MarkIcon } from "../../../billing/mark-icon.tsx";

/** What the colours and signs of the picture mean. */
export function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
      <Colour className="bg-fixed">fixed</Colour>
      <Colour className="bg-amendable">amendable</Colour>
      <Colour className="bg-live">live</Colour>
      <Item sign={<span className="w-3 border-accent border-t-2" />}>cached prefix ends</Item>
      <Item sign={<MarkIcon kind="amended" size={11} />}>amended: by the agent (a), a user (u), the operator (o)</Item>
      <Item sign={<MarkIcon kind="refused" size={11} />}>refused</Item>
      <Item sign={<MarkIcon kind="held" size={11} />}>needed approval</Item>
      <Item sign={<MarkIcon kind="broken" size={11} />}>cache miss</Item>
      <Item sign={<MarkIcon kind="failed" size={11} />}>failed</Item>
    </ul>
  );
}

function Colour({ className, children }: { readonly className: string; readonly children: ReactNode }) {
  return <Item sign={<span className={`size-2.5 rounded-sm ${className}`} />}>{children}</Item>;
}

function Item({ sign, children }: { readonly sign: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      {sign}
      {children}
    </li>
  );
}
