import { Button } from "../../../kit/field.tsx";
import { count, dollars } from "../../../kit/words.ts";
import { ModelHelp } from "./model-help.tsx";
import { ModelSelect } from "./model-select.tsx";
import type { KnownModel } from "./model-state.ts";
import { ModelTest } from "./model-test.tsx";
import { useModels } from "./use-models.ts";

/** An agent's models: the first, and those that are asked when it cannot answer. None: the server's default. */
export function ModelsField({
  models,
  onModels,
  fault,
}: {
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
  /** What the server said of them. */
  readonly fault?: { readonly message: string; readonly hint: string } | undefined;
}) {
  const { models: all, usual, byName, place, error } = useModels();
  const [first = "", ...fallbacks] = models;
  const set = (index: number, name: string) => {
    if (index === 0 && name === "") return onModels([]);
    onModels(models.length === 0 ? [name] : models.map((one, at) => (at === index ? name : one)));
  };
  const move = (index: number, by: number) => {
    const next = [...models];
    const [one] = next.splice(index, 1);
    next.splice(index + by, 0, one as string);
    onModels(next);
  };
  const shown = first === "" ? (usual[0] ?? "") : first;
  return (
    <fieldset className="grid gap-3">
      <legend className="sr-only">Models</legend>
      <Row label="Model">
        <ModelSelect
          label="Model"
          name={first}
          onName={(name) => set(0, name)}
          models={all}
          none={usual[0] === undefined ? "Server default" : `Server default (${usual.join(", then ")})`}
          invalid={fault !== undefined}
        />
        {shown !== "" && <ModelTest name={shown} known={byName.get(shown.trim())} />}
        <Facts known={byName.get(shown.trim())} />
      </Row>
      {fallbacks.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the list.
        <Row key={index} label={`Fallback ${index + 1}`}>
          <ModelSelect
            label={`Fallback ${index + 1}`}
            name={name}
            onName={(one) => set(index + 1, one)}
            models={all}
            none="Choose a model"
            invalid={fault?.message.includes(name) ?? false}
          />
          {name !== "" && <ModelTest name={name} known={byName.get(name.trim())} />}
          <div className="flex flex-wrap gap-2">
            <Button kind="quiet" onClick={() => move(index + 1, -1)}>
              Move up
            </Button>
            <Button
              kind="quiet"
              aria-label={`Remove fallback ${index + 1}`}
              onClick={() => onModels(models.filter((_, at) => at !== index + 1))}
            >
              Remove
            </Button>
          </div>
        </Row>
      ))}
      {fault && (
        <div role="alert" className="text-sm [overflow-wrap:anywhere]">
          <p className="text-bad">{fault.message}</p>
          <p className="text-soft">{fault.hint}</p>
          <a href="#models-help" className="text-accent underline">
            Where models are set
          </a>
        </div>
      )}
      {error && <p className="text-bad text-sm">{error.message}</p>}
      {first !== "" && (
        <div>
          <Button onClick={() => onModels([...models, ""])}>Add a fallback</Button>
          <p className="mt-0.5 text-soft text-xs">A fallback is asked when the models before it cannot answer.</p>
        </div>
      )}
      <ModelHelp place={place} open={fault !== undefined} />
    </fieldset>
  );
}

function Row({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className="grid min-w-0 gap-1.5">
      <span aria-hidden="true" className="-mb-1 text-soft text-xs">
        {label}
      </span>
      {children}
    </div>
  );
}

function Facts({ known }: { readonly known: KnownModel | undefined }) {
  if (!known || (known.window === null && known.price === null)) return null;
  const { window, price } = known;
  const facts = [
    ...(window === null ? [] : [`Takes ${count(window)} tokens`]),
    ...(price === null ? [] : [`${dollars(price.input)} in, ${dollars(price.output)} out per million tokens`]),
  ];
  return <p className="text-soft text-xs">{facts.join(" · ")}</p>;
}
