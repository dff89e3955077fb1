import { useEffect, useRef, useState } from "react";
import { Button } from "../../kit/field.tsx";
import type { ApiProblem } from "../api/request.ts";
import { Trouble } from "../kit/trouble.tsx";

/** Where a note is written. */
export function NoteForm({
  label,
  initial = "",
  busy,
  problem,
  onSave,
  onCancel,
}: {
  readonly label: string;
  readonly initial?: string;
  readonly busy: boolean;
  readonly problem: ApiProblem | undefined;
  readonly onSave: (text: string) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState(initial);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave(text.trim());
      }}
    >
      <textarea
        ref={box}
        aria-label={label}
        dir="auto"
        rows={3}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="w-full rounded-lg border border-line bg-paper px-3 py-2 leading-6"
      />
      {problem && <Trouble problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={busy || text.trim() === ""}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
