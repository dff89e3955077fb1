import type { SectionListAnswer } from "charter/answers";
import { useState } from "react";
import { useLocation } from "wouter";
import { type ApiProblem, encodeName, getJson, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { placeOf } from "../../app/place.ts";
import { Field, Input } from "../../kit/field.tsx";
import type { Agent } from "./agent.ts";
import { copyName, nameFault } from "./name-fault.ts";
import { useTakenNames } from "./new-agent.tsx";
import { withValue } from "./settings/path.ts";
import { setupOf } from "./settings/setup.ts";

type Texts = "originals" | "current";

const choices: readonly (readonly [texts: Texts, title: string, says: string])[] = [
  ["originals", "Original texts", "Its sections begin as the settings say. What was edited since is left behind."],
  ["current", "Current texts", "The edited sections are copied as they are now, each as the copy’s first revision."],
];

/** Another agent like it: charter, models and settings; its texts as chosen. */
export function Duplicate({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const taken = useTakenNames();
  const [typed, setTyped] = useState<string>();
  const [texts, setTexts] = useState<Texts>("originals");
  const [left, setLeft] = useState<readonly string[]>();
  const name = typed ?? copyName(agent.name, taken);
  const fault = left ? undefined : nameFault(name, taken);
  const act = useAct();
  const copy = async () => {
    if (left) return go(placeOf(name, "settings"));
    const { charter, models, settings } = setupOf(agent);
    // Two agents with one core memory would write over each other.
    const own = withValue(settings, ["memory"], undefined);
    const body = { name, charter, settings: own, ...(models.length === 0 ? {} : { model: models }) };
    const uncopied = await act.run(async () => {
      await sendJson("/agents", body);
      return texts === "current" ? copyTexts(agent.name, name) : [];
    });
    if (uncopied === undefined) return;
    if (uncopied.length === 0) go(placeOf(name, "settings"));
    else setLeft(uncopied);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Duplicate “${agent.name}”`}
      about="Copies its charter, models and settings. Users, conversations, memories, schedules and tokens are not copied."
      act={act}
      does={left ? "Open the copy" : "Duplicate"}
      ready={name !== "" && fault === undefined}
      onSubmit={copy}
    >
      <Field label="Name of the copy">
        <Input
          required
          dir="auto"
          maxLength={200}
          disabled={left !== undefined}
          aria-invalid={fault !== undefined}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      {fault && (
        <p role="alert" className="text-bad text-sm [overflow-wrap:anywhere]">
          {fault}
        </p>
      )}
      <fieldset className="grid gap-1.5" disabled={left !== undefined}>
        <legend className="mb-0.5 text-soft text-xs">Texts</legend>
        {choices.map(([value, title, says]) => (
          <label key={value} className="flex gap-2.5 rounded-md border border-line bg-card px-3 py-2">
            <input
              type="radio"
              name="texts"
              checked={texts === value}
              onChange={() => setTexts(value)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span>
              <span className="font-medium text-sm">{title}</span>
              <span className="block text-soft text-xs">{says}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {Object.hasOwn(agent.settings, "memory") && (
        <p className="text-sm text-wait">Its core memory is not copied. Set another one in the copy’s settings.</p>
      )}
      {left && (
        <div role="alert" className="text-sm [overflow-wrap:anywhere]">
          <p>“{name}” was created. These texts could not be copied:</p>
          <ul className="list-disc pl-5">
            {left.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}

/** Proposes each edited text of the agent itself to the copy; what did not pass is told. */
async function copyTexts(from: string, to: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (let offset = 0, more = true; more; ) {
    const path = withQuery(`/agents/${encodeName(from)}/sections`, { limit: 1000, offset });
    const answer = await getJson<SectionListAnswer>(path);
    for (const { name, scope, revision, text } of answer.sections) {
      if (scope !== "agent" || (revision ?? 0) === 0 || name === "core") continue;
      const operation = { kind: "rewrite", content: text ?? "" };
      const proposal = { section: name, operation, reason: `Copied from “${from}”, revision ${revision}.` };
      try {
        const { verdict } = await sendJson<{ verdict: string }>(`/agents/${encodeName(to)}/proposals`, proposal);
        if (verdict === "held") left.push(`“${name}” waits for approval.`);
      } catch (error) {
        left.push(`“${name}”: ${(error as ApiProblem).message}`);
      }
    }
    offset += answer.sections.length;
    more = answer.more && answer.sections.length > 0;
  }
  return left;
}
