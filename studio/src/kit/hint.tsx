import { CircleQuestionMark } from "lucide-react";
import { Popover } from "radix-ui";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/** What explains a thing to whoever asks: behind “?”, which opens it; Escape and a click beside it close it. */
export function Hint({ about, children }: { readonly about: string; readonly children: ReactNode }) {
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={`About ${about}`}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-full align-middle text-soft hover:text-ink"
      >
        <Icon of={CircleQuestionMark} className="size-[1.05rem]" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={`About ${about}`}
          sideOffset={4}
          collisionPadding={12}
          className="z-50 max-w-80 text-pretty rounded-lg border border-line bg-card px-3 py-2 text-sm shadow-lg outline-none [overflow-wrap:anywhere]"
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
