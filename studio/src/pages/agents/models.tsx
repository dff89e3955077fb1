import type { ModelListAnswer, ModelTestAnswer } from "charter/answers";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { Button, Input, Select } from "../../kit/field.tsx";
import { useNow } from "../../kit/window.ts";
import { count, dollars, fromNow } from "../../kit/words.ts";

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
  const { models: all, usual, byName, error } = useModels();
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
  return (
    <fieldset className="grid gap-3">
      <legend className="sr-only">Models</legend>
      {(models.length === 0 ? [""] : models).map((name, index) => {
        const label = index === 0 ? "Model" : `Fallback ${index}`;
        const shown = index === 0 && name === "" ? (usual[0] ?? "") : name.trim();
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the list.
          <div key={index} className="grid min-w-0 gap-1.5">
            <span aria-hidden="true" className="-mb-1 text-soft text-xs">
              {label}
            </span>
            <ModelSelect
              {...{ label, name }}
              onName={(one) => set(index, one)}
              models={all}
              none={
                index > 0
                  ? "Choose a model"
                  : usual.length === 0
                    ? "Server default"
                    : `Server default (${usual.join(", then ")})`
              }
              invalid={index === 0 ? fault !== undefined : (fault?.message.includes(name) ?? false)}
            />
            {shown !== "" && <ModelTest name={shown} known={byName.get(shown)} />}
            {index === 0 && <Facts known={byName.get(shown)} />}
            {index > 0 && (
              <div className="flex flex-wrap gap-2">
                <Button kind="quiet" onClick={() => move(index, -1)}>
                  Move up
                </Button>
                <Button
                  kind="quiet"
                  aria-label={`Remove fallback ${index}`}
                  onClick={() => onModels(models.filter((_, at) => at !== index))}
                >
                  Remove
                </Button>
              </div>
            )}
          </div>
        );
      })}
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
      {models.length > 0 && models[0] !== "" && (
        <div>
          <Button onClick={() => onModels([...models, ""])}>Add a fallback</Button>
          <p className="mt-0.5 text-soft text-xs">A fallback is asked when the models before it cannot answer.</p>
        </div>
      )}
      <ModelHelp open={fault !== undefined} />
    </fieldset>
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

const tones = { good: "text-good", bad: "text-bad", wait: "text-wait", plain: "text-soft" } as const;

/** How a model is off, and a button that asks it one word. */
export function ModelTest({ name, known }: { readonly name: string; readonly known: KnownModel | undefined }) {
  const { busy, problem, run } = useAct();
  const [result, setResult] = useState<ModelTestAnswer>();
  const now = useNow();
  const test = async () => {
    setResult(undefined);
    setResult(await run(() => sendJson<ModelTestAnswer>("/models/test", { model: name.trim() })));
  };
  const mine = result?.model === name.trim() ? result : undefined;
  const { tone, says, hint } = mine ? stateAfter(mine, known) : modelState(known);
  const at = mine ? undefined : known?.tested?.at;
  return (
    <div className="text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Button onClick={test} disabled={busy || name.trim() === ""} aria-label={`Test ${name}`}>
          {busy ? "Testing…" : "Test"}
        </Button>
        <p role="status" className={`min-w-0 flex-1 basis-60 [overflow-wrap:anywhere] ${tones[tone]}`}>
          {busy ? "It is asked for one word." : says}
          {!busy && at !== undefined && ` Tested ${fromNow(Date.parse(at), now)}.`}
          {!busy && mine && ` It took ${count(mine.tookMs)} ms.`}
        </p>
      </div>
      {!busy && hint && <p className="mt-1 text-soft text-xs [overflow-wrap:anywhere]">{hint}</p>}
      {!busy && mine && mine.notes.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-soft text-xs [overflow-wrap:anywhere]">
          {mine.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <Trouble problem={problem} />
    </div>
  );
}

/** The answer that has just come, whatever the list says still. */
function stateAfter({ ok, problem }: ModelTestAnswer, known: KnownModel | undefined) {
  const at = "";
  const blank = { name: "", provider: "", own: false, key: "present", window: null, price: null } as const;
  const standIn = known?.standIn ?? false;
  return modelState({ ...blank, standIn, problem: null, tested: { at, ok, ...(problem && { problem }) } });
}

const example = `{
  "local": { "base": "http://localhost:8000/v1", "model": "qwen3-32b" },
  "team": { "api": "anthropic", "model": "claude-opus-5-5", "key": "$TEAM_KEY" }
}`;

/** Where models are set: no key passes through this page. */
function ModelHelp({ open }: { readonly open: boolean }) {
  return (
    <details id="models-help" open={open} className="rounded-md border border-line bg-card px-3 py-2 text-sm">
      <summary className="cursor-pointer font-medium">Where models are set</summary>
      <div className="mt-2 space-y-2 text-soft">
        <p className="[overflow-wrap:anywhere]">
          Models and keys are set where the server runs, not on this page. A provider’s models need its key in the
          environment or in <code>.env</code>: <code>ANTHROPIC_API_KEY</code>, <code>OPENAI_API_KEY</code>,{" "}
          <code>GEMINI_API_KEY</code>, <code>OPENROUTER_API_KEY</code>.
        </p>
        <p>
          A model with an address or a key of its own is described in <code>models.json</code>, or under{" "}
          <code>models</code> in <code>charter.config.ts</code>:
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys. */}
        <pre tabIndex={0} className="overflow-x-auto rounded bg-raised p-2 font-mono text-ink text-xs">
          {example}
        </pre>
        <p>
          Restart the server afterwards. <code>charter doctor --models</code> tests them all. The page “Models” of the
          documentation (<code>docs/models.md</code>) has the rest.
        </p>
      </div>
    </details>
  );
}

export type KnownModel = ModelListAnswer["models"][number];

/** How a model is off, in a word or two, and whole. */
export type ModelState = {
  readonly tone: "good" | "bad" | "wait" | "plain";
  readonly short: string;
  readonly says: string;
  readonly hint?: string;
};

/** What is known of a model: its last test, else what keeps it from being asked, else its key. */
export function modelState(model: KnownModel | undefined): ModelState {
  if (!model) return { tone: "plain", short: "not checked", says: "Nothing is known of it yet. Test it." };
  const { standIn, problem, tested, key } = model;
  if (standIn)
    return { tone: "wait", short: "stand-in", says: "A stand-in: a script in place of a model. It needs no key." };
  if (problem) {
    const short = problem.code === "unknown-model" ? "unknown" : key === "missing" ? "no key" : "not set up";
    return { tone: "bad", short, says: problem.message, hint: problem.hint };
  }
  if (tested?.problem) {
    const { message, hint, code } = tested.problem;
    if (code === "not-tested") return { tone: "plain", short: "not tested", says: message, hint };
    return { tone: "bad", short: "test failed", says: message, hint };
  }
  if (tested?.ok) return { tone: "good", short: "works", says: "It works: it answered when it was last tested." };
  return key === "present"
    ? { tone: "plain", short: "key set", says: "Its key is set. Test whether it works." }
    : { tone: "plain", short: "no key needed", says: "It needs no key. Test whether it works." };
}

/** Models to choose from, in groups: your own first, then providers whose key is there, then the others. */
export function modelGroups(
  models: readonly KnownModel[],
): readonly (readonly [title: string, names: readonly string[]])[] {
  const groups = new Map<string, string[]>();
  const rank = ({ own, standIn, key, problem }: KnownModel) =>
    own ? 0 : standIn ? 4 : problem?.code === "unknown-model" ? 3 : key === "missing" ? 2 : 1;
  const titleOf = (model: KnownModel) =>
    ["Your own models", model.provider, `${model.provider} (no key set)`, "Unknown", "Without a model"][
      rank(model)
    ] as string;
  const sorted = models.toSorted((one, other) => rank(one) - rank(other));
  for (const model of sorted) groups.set(titleOf(model), [...(groups.get(titleOf(model)) ?? []), model.name]);
  return [...groups];
}

/** The models there are, and what is known of each by its name. */
export function useModels() {
  const { data, error } = useApi<ModelListAnswer>("/models");
  const byName = new Map<string, KnownModel>(data?.models.map((model) => [model.name, model]));
  return { models: data?.models ?? [], usual: data?.usual ?? [], error, byName };
}
