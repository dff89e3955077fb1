import { useState } from "react";
import { Input, Select } from "../../../kit/field.tsx";
import { type KnownModel, modelGroups } from "./model-state.ts";

const other = "\u0000other";

/** A model out of a list, or any other name. Empty is what `none` says. */
export function ModelSelect({
  label,
  name,
  onName,
  models,
  none,
  invalid = false,
}: {
  readonly label: string;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly models: readonly KnownModel[];
  readonly none: string;
  readonly invalid?: boolean;
}) {
  const [typing, setTyping] = useState(false);
  const isListed = name === "" || models.some((model) => model.name === name);
  const typed = typing || !isListed;
  return (
    <div className="grid gap-1.5">
      <Select
        aria-label={label}
        aria-invalid={invalid}
        value={typed ? other : name}
        onChange={({ target: { value } }) => {
          setTyping(value === other);
          if (value !== other) onName(value);
        }}
      >
        <option value="">{none}</option>
        {modelGroups(models).map(([title, names]) => (
          <optgroup key={title} label={title}>
            {names.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </optgroup>
        ))}
        <option value={other}>Another model…</option>
      </Select>
      {typed && (
        <Input
          aria-label={`${label}, as provider/model`}
          aria-invalid={invalid}
          dir="auto"
          autoComplete="off"
          maxLength={200}
          placeholder="provider/model, as in openai/gpt-5"
          value={name}
          onChange={({ target }) => onName(target.value)}
        />
      )}
    </div>
  );
}
