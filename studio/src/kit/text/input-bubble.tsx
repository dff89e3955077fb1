import type { ReactNode } from "react";
import { LongText } from "./long-text.tsx";

/** What someone said to an agent: in a bubble of its own, at the right. `about` stands above it: where it came from. */
export function InputBubble({ about, text }: { readonly about?: ReactNode; readonly text: string }) {
  return (
    <div className="ms-auto w-fit max-w-[88%] rounded-2xl rounded-ee-sm bg-raised px-3.5 py-2">
      {about}
      <LongText text={text} max={2000} />
    </div>
  );
}
