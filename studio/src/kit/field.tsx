import {
  type ButtonHTMLAttributes,
  type ComponentProps,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useRef,
  useState,
} from "react";

type Kind = "plain" | "primary" | "quiet" | "danger";

const looks: Readonly<Record<Kind, string>> = {
  plain: "border border-line bg-card hover:bg-raised",
  primary: "border border-transparent bg-accent text-on-accent hover:opacity-90",
  quiet: "border border-transparent text-soft hover:bg-raised hover:text-ink",
  danger: "border border-line bg-card text-bad hover:bg-raised",
};

/** A button. On a telephone it is tall enough for a thumb. */
export function Button({
  kind = "plain",
  className = "",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: Kind }) {
  return (
    <button
      type="button"
      {...rest}
      className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-md px-3 py-1 font-medium text-sm whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50 ${looks[kind]} ${className}`}
    />
  );
}

const box = "min-h-9 w-full rounded-md border border-line bg-card px-2.5 py-1 text-sm text-ink placeholder:text-soft";

type FieldProps = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
};

/** A control under its name. Without `hint` nothing stands under it. */
export function Field({ label, hint, className = "", children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className={`block min-w-0 ${className}`}>
      <span className="mb-1 block text-soft text-xs">{label}</span>
      {children}
      {hint && <span className="mt-1 block text-soft text-xs">{hint}</span>}
    </label>
  );
}

export function Input({ className = "", ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={`${box} ${className}`} />;
}

export function Textarea({ className = "", ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea {...rest} className={`${box} ${className}`} />;
}

export function Select({ className = "", ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return <select {...rest} className={`${box} ${className}`} />;
}

/** One of a few, side by side: the chosen one is pressed. */
export function Choices<Value extends string>({
  label,
  of,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly of: readonly (readonly [value: Value, words: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{label}</legend>
      {of.map(([value, words]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
          className={`min-h-9 rounded-md border px-3 text-sm ${value === chosen ? "border-accent bg-raised font-medium" : "border-line bg-card text-soft hover:text-ink"}`}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}

/** One of a few that need a sentence each, one below the other. */
export function Options<Value extends string>({
  label,
  name,
  of,
  chosen,
  onChoose,
  disabled = false,
}: {
  readonly label: string;
  readonly name: string;
  readonly of: readonly (readonly [value: Value, title: string, says: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
  readonly disabled?: boolean;
}) {
  return (
    <fieldset className="grid gap-1.5" disabled={disabled}>
      <legend className="mb-0.5 text-soft text-xs">{label}</legend>
      {of.map(([value, title, says]) => (
        <label
          key={value}
          className="flex cursor-pointer gap-2.5 rounded-md border border-line bg-card px-3 py-2 has-checked:border-accent has-checked:bg-raised"
        >
          <input
            type="radio"
            {...{ name, value }}
            checked={value === chosen}
            onChange={() => onChoose(value)}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span className="font-medium text-sm [overflow-wrap:anywhere]">{title}</span>
            <span className="block text-soft text-xs">{says}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/**
 * Words that are acted on while they are typed, but not at every key: `settle` hears of them after a pause. What is shown
 * is what was typed, until it is what is `kept`; from then on it is what is kept, whoever changes that.
 */
export function useTyped(
  kept: string,
  settle: (words: string) => void,
  pauseMs = 200,
): readonly [words: string, type: (words: string) => void] {
  const [typed, setTyped] = useState<string>();
  // Whom to tell when the pause is over: as things are then, not as they were when it began.
  const told = useRef(settle);
  useEffect(() => {
    told.current = settle;
  });
  useEffect(() => {
    if (typed === undefined) return;
    // Only what was settled: a key may have been pressed since.
    if (typed === kept) return setTyped((now) => (now === kept ? undefined : now));
    const soon = setTimeout(() => told.current(typed), pauseMs);
    return () => clearTimeout(soon);
  }, [typed, kept, pauseMs]);
  return [typed ?? kept, setTyped];
}
