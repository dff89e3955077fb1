import { Check, Ellipsis, X } from "lucide-react";
import { DropdownMenu, Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { Icon } from "./icon.tsx";

const first = "input:checked, input:not([type=radio]), textarea, select, button";

type DialogProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
};

/** Something to fill in or to confirm, above the page. Escape, the cross and a click beside it close it. */
export function Dialog({ open, onClose, title, about, children }: DialogProps) {
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

const item =
  "flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[highlighted]:bg-raised data-[state=checked]:font-medium";

type MenuProps = {
  readonly label: string;
  /** What the button shows. */
  readonly face?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
};

/** What can be done besides, behind a button: arrows move, Enter does it, Escape closes. */
export function Menu({ label, face = <Icon of={Ellipsis} />, className = "", children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={label}
        className={`inline-flex min-h-9 min-w-9 items-center justify-center gap-1.5 rounded-md px-2 text-sm text-soft hover:bg-raised hover:text-ink ${className}`}
      >
        {face}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-40 rounded-lg border border-line bg-card p-1 shadow-lg"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

type MenuItemProps = { readonly onChoose: () => void; readonly label?: string; readonly children: ReactNode };

/** One of them. `label`: what it is called for those who do not see what it belongs to. */
export function MenuItem({ onChoose, label, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item aria-label={label} onSelect={onChoose} className={item}>
      {children}
    </DropdownMenu.Item>
  );
}

type MenuChoiceProps<Value extends string> = {
  readonly label: string;
  readonly of: readonly (readonly [value: Value, words: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
};

/** One of several, in a menu. */
export function MenuChoice<Value extends string>({ label, of, chosen, onChoose }: MenuChoiceProps<Value>) {
  return (
    <DropdownMenu.RadioGroup aria-label={label} value={chosen} onValueChange={(value) => onChoose(value as Value)}>
      {of.map(([value, words]) => (
        <DropdownMenu.RadioItem key={value} value={value} className={item}>
          <span aria-hidden="true" className="w-3.5">
            {value === chosen && <Icon of={Check} className="size-3.5" />}
          </span>
          {words}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
