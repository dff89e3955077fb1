import type { ReactNode } from "react";

/** A line across a conversation, with words in its middle: here another one begins. */
export function SessionLine({ children }: { readonly children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 text-soft text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      <span className="text-center">{children}</span>
    </p>
  );
}
