import type { ReactNode } from "react";
import { Input, Select, Textarea } from "../../../kit/field.tsx";
import { ModelSelect } from "../models/model-select.tsx";
import { ModelTest } from "../models/model-test.tsx";
import { useModels } from "../models/use-models.ts";
import { type Settings, withValue } from "./path.ts";
import { type SettingField, shownIn, typedIn } from "./setting-field.ts";

export type FieldControlProps = {
  readonly field: SettingField;
  readonly settings: Settings;
  readonly onSettings: (settings: Settings) => void;
  /** What the server said of it. */
  readonly fault?: { readonly message: string; readonly hint: string } | undefined;
  /** What stands under it besides its hint. */
  readonly children?: ReactNode;
};

/** One setting in a field: it shows what the settings say, and changes nothing else of them. */
export function FieldControl({ field, settings, onSettings, fault, children }: FieldControlProps) {
  const { label, hint, kind } = field;
  const shown = shownIn(settings, field);
  const set = (typed: string | boolean) => onSettings(withValue(settings, field.path, typedIn(field, typed)));
  const name = field.path.join(".");
  const about = (
    <>
      {hint && <span className="mt-0.5 block text-soft text-xs">{hint}</span>}
      {children}
      {fault && (
        <span role="alert" className="mt-0.5 block text-sm [overflow-wrap:anywhere]">
          <span className="text-bad">{fault.message}</span> <span className="text-soft">{fault.hint}</span>
        </span>
      )}
    </>
  );
  if (shown === undefined)
    return (
      <div className="min-w-0">
        <span className="mb-0.5 block text-soft text-xs">{label}</span>
        <p className="text-sm">
          <code>{name}</code> has a form that no field shows. Change it as JSON.
        </p>
        {about}
      </div>
    );
  if (typeof shown === "boolean")
    return (
      <div className="min-w-0">
        <label className="flex items-start gap-2.5 text-sm">
          <input
            type="checkbox"
            checked={shown}
            onChange={({ target }) => set(target.checked)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span>{label}</span>
        </label>
        {about}
      </div>
    );
  if (kind === "model")
    return (
      <div className="grid min-w-0 gap-1.5">
        <span aria-hidden="true" className="-mb-1 text-soft text-xs">
          {label}
        </span>
        <OneModel label={label} name={shown} onName={set} />
        {about}
      </div>
    );
  const shared = { "aria-invalid": fault !== undefined, value: shown, dir: "auto" as const };
  return (
    <div className="min-w-0">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is within. */}
      <label className="block">
        <span className="mb-0.5 block text-soft text-xs">{label}</span>
        {kind === "text" || kind === "lines" ? (
          <Textarea
            {...shared}
            rows={kind === "lines" ? 3 : rowsFor(shown)}
            onChange={({ target }) => set(target.value)}
          />
        ) : kind === "choice" ? (
          <Select {...shared} onChange={({ target }) => set(target.value)}>
            <option value="">Automatic</option>
            {field.choices?.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            {...shared}
            inputMode={kind === "number" ? "numeric" : "text"}
            autoComplete="off"
            onChange={({ target }) => set(target.value)}
          />
        )}
      </label>
      {about}
    </div>
  );
}

/** As high as its text, within reason. */
function rowsFor(text: string): number {
  return Math.min(18, Math.max(4, text.split("\n").length + 1));
}

function OneModel({
  label,
  name,
  onName,
}: {
  readonly label: string;
  readonly name: string;
  readonly onName: (name: string) => void;
}) {
  const { models, byName } = useModels();
  return (
    <>
      <ModelSelect label={label} name={name} onName={onName} models={models} none="None" />
      {name !== "" && <ModelTest name={name} known={byName.get(name)} />}
    </>
  );
}
