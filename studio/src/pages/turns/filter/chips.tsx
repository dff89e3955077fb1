/** One of a few, side by side, or none: the chosen one is pressed, and pressing it again takes it back. */
export function Chips<Value extends string>({
  label,
  of,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly of: readonly (readonly [value: Value, words: string])[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}) {
  return (
    <fieldset className="flex flex-wrap items-center gap-1">
      <legend className="float-left mr-1.5 py-1 text-soft text-xs">{label}</legend>
      {of.map(([value, words]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value === chosen ? undefined : value)}
          className={`min-h-8 rounded-full border px-2.5 text-sm ${value === chosen ? "border-accent bg-raised font-medium" : "border-line bg-card text-soft hover:text-ink"}`}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}
