import { useDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { placeOfEdit } from "./approve-form.tsx";

/** What was typed here when someone else decided: it was not used, and is not lost. */
export function UnusedEdit({ id }: { readonly id: string }) {
  const [draft, setDraft] = useDraft(placeOfEdit(id));
  if (draft === undefined) return null;
  return (
    <section aria-label="Your text" className="rounded-md border border-wait/50 p-3 text-sm">
      <p>Someone decided while you edited it. Your text was not used:</p>
      <div className="my-2 rounded-md border border-line bg-paper px-3 py-2 font-mono text-[0.8rem] leading-5">
        <LongText text={draft} />
      </div>
      <Button onClick={() => setDraft(undefined)}>Discard your text</Button>
    </section>
  );
}
