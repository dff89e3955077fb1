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
