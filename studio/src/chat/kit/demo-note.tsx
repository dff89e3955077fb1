import type { ReactNode } from "react";
import { isDemoDocument } from "../../kit/window.ts";

/** Above every view of a demo: that it is one. Elsewhere there is nothing to say. */
export function WithDemoNote({ children }: { readonly children: ReactNode }) {
  if (!isDemoDocument()) return children;
  return (
    <div className="flex h-full flex-col">
      <aside aria-label="Demo" className="border-line border-b bg-raised px-4 py-1.5 text-center text-sm">
        <strong>Demo.</strong> Everything here is made up, and a script answers. Nothing leaves this machine.
      </aside>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </div>
  );
}
