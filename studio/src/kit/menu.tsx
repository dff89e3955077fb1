import { Check, Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

const item =
  "flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[highlighted]:bg-raised data-[state=checked]:font-medium";

/** What can be done besides, behind a button: arrows move, Enter does it, Escape closes. */
export function Menu({
  label,
  face = <Icon of={Ellipsis} />,
  className = "",
  children,
}: {
  readonly label: string;
  /** What the button shows. */
  readonly face?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
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
