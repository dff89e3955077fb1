import type { ReactNode } from "react";
import { Fence, LongText } from "../../kit/text/long-text.tsx";

/** One message and its reply, as the Chat page shows a turn. A sender's words are untrusted, and look it. */
export function Exchange({
  label,
  from,
  message,
  reply,
  foot,
}: {
  readonly label: string;
  readonly from: string;
  readonly message: string;
  readonly reply: ReactNode;
  readonly foot: ReactNode;
}) {
  return (
    <article aria-label={label} className="space-y-2.5">
      <div className="ms-auto w-fit max-w-[88%]">
        <Fence
          from={
            <>
              <bdi>{from}</bdi> wrote
            </>
          }
        >
          <LongText text={message} max={2000} />
        </Fence>
      </div>
      <div data-answer>{reply}</div>
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-soft text-xs">{foot}</p>
    </article>
  );
}
