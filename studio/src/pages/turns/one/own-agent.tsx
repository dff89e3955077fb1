import { type OwnTool, OwnToolLine, unknownReads } from "../../../kit/own-tool.tsx";
import { plural } from "../../../kit/words.ts";
import type { StepRecord } from "./record.ts";

/** Of a model that is an agent and keeps the conversation itself: where it was given the system prompt. */
export function IdentityLine({ of: { says } }: { readonly of: NonNullable<StepRecord["identity"]> }) {
  return (
    <p className="text-sm [overflow-wrap:anywhere]">
      The system prompt went <strong className="font-medium">{says}</strong>. This agent keeps the conversation itself,
      and is sent only what is new to it.
    </p>
  );
}

/** The tools of its own that the agent used while it answered. */
export function OwnTools({ of }: { readonly of: readonly (OwnTool & { readonly id: string })[] }) {
  if (of.length === 0) return null;
  return (
    <section aria-label="The agent’s own tools">
      <h3 className="mb-2 font-medium">
        The agent’s own tools <span className="font-normal text-soft">{plural(of.length, "use")}</span>
      </h3>
      <ul className="divide-y divide-line rounded-md border border-line text-sm">
        {of.map((tool) => (
          <li key={tool.id}>
            <OwnToolLine of={tool} />
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-soft">{unknownReads}</p>
    </section>
  );
}
