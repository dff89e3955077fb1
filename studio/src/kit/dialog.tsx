import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { Icon } from "./icon.tsx";

const first = "input:checked, input:not([type=radio]), textarea, select, button";

/** Something to fill in or to confirm, above the page. Escape, the cross and a click beside it close it. */
export function Dialog({
  open,
  onClose,
  title,
  about,
  children,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Radix.Root open={open} onOpenChange={(wanted) => !wanted && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-paper/80" />
        <Radix.Content
          onOpenAutoFocus={(event) => {
            // What there is to fill in comes before the cross that closes it.
            event.preventDefault();
            body.current?.querySelector<HTMLElement>(first)?.focus();
          }}
          {...(about === undefined ? { "aria-describedby": undefined } : {})}
          className="fixed top-[6vh] left-1/2 z-50 flex max-h-[88vh] w-[calc(100vw-1.5rem)] max-w-2xl -translate-x-1/2 flex-col rounded-xl border border-line bg-paper shadow-2xl outline-none"
        >
          <div className="flex items-start gap-3 border-line border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-semibold [overflow-wrap:anywhere]">{title}</Radix.Title>
              {about !== undefined && <Radix.Description className="text-sm text-soft">{about}</Radix.Description>}
            </div>
            <Radix.Close
              aria-label="Close"
              className="-mr-1 size-9 shrink-0 rounded-md text-soft hover:bg-raised hover:text-ink"
            >
              <Icon of={X} className="mx-auto" />
            </Radix.Close>
          </div>
          <div ref={body} className="min-h-0 overflow-y-auto p-4">
            {children}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
