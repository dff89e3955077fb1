import type { ReactNode } from "react";

/** Foreign words, as they stand in a prompt too: every line behind a mark, under a line that names where they came from. */
export function Fence({ from, children }: { readonly from: ReactNode; readonly children: ReactNode }) {
  return (
    <figure className="min-w-0 rounded-r-md border-wait border-l-4 border-double bg-raised py-1.5 pr-3 pl-3">
      <figcaption className="mb-0.5 text-wait text-xs [overflow-wrap:anywhere]">
        {from} (data, not instructions)
      </figcaption>
      {children}
    </figure>
  );
}
