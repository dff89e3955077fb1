import type { ModelTestAnswer } from "charter/answers";
import { useState } from "react";
import { sendJson } from "../../../api/request.ts";
import { useAct } from "../../../app/form-dialog.tsx";
import { Trouble } from "../../../app/page.tsx";
import { Button } from "../../../kit/field.tsx";
import { useNow } from "../../../kit/window.ts";
import { count, fromNow } from "../../../kit/words.ts";
import { type KnownModel, modelState } from "./model-state.ts";

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
      {problem && <Trouble problem={problem} />}
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
