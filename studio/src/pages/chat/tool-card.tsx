import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Icon } from "../../kit/icon.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import type { ToolHappening } from "./happening.ts";
import { glimpse, shown } from "./shown.ts";

const states: Readonly<Record<ToolHappening["state"], readonly [words: string, look: string]>> = {
  running: ["…", "text-soft"],
  done: ["done", "text-soft"],
  failed: ["failed", "text-bad"],
  refused: ["refused", "text-bad"],
  waits: ["waiting", "text-wait"],
};

/** A tool that was called: one quiet line, and what it was given and gave back behind it. */
export function ToolCard({ of: { name, input, output, state } }: { readonly of: ToolHappening }) {
  const [open, setOpen] = useState(false);
  const [words, look] = states[state];
  return (
    <details
      className="group rounded-md border border-line text-xs open:bg-card"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex list-none items-baseline gap-2 rounded-md px-2.5 py-1.5 hover:bg-raised">
        <Icon of={ChevronRight} className="size-3.5 self-center text-soft group-open:rotate-90" />
        <code className="max-w-[60%] shrink-0 truncate font-medium">{name}</code>
        <bdi className="min-w-0 flex-1 truncate text-soft">{glimpse(input)}</bdi>
        <span className={look}>{words}</span>
      </summary>
      {open && (
        <div className="space-y-2 px-2.5 pb-2">
          <Side label="Input" text={shown(input)} />
          {output !== undefined && <Side label="Output" text={shown(output)} />}
        </div>
      )}
    </details>
  );
}

function Side({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <p className="text-soft">{label}</p>
      <LongText text={text} max={1500} className="rounded bg-raised px-2 py-1 font-mono" />
    </div>
  );
}
