import { placeOf } from "../../app/place.ts";
import { ActLink } from "./act-link.tsx";
import type { First } from "./use-first-facts.ts";

/** A person changes a section: in its editor, where checks, difference and cost are seen before it is saved. */
export function ChangeStep({
  first: { agent, user, toChange },
  isNext,
}: {
  readonly first: First;
  readonly isNext: boolean;
}) {
  if (!toChange) return <p className="text-sm text-soft">No section of this agent can be edited by an operator.</p>;
  return (
    <>
      <p className="text-sm text-soft">
        Edit the section <strong className="font-medium text-ink">{toChange.name}</strong> yourself. As you type you see
        the checks, the difference and what it costs. Save, and it is in the next prompt; every earlier text can be
        brought back.
      </p>
      <ActLink href={placeOf(agent, "sections", toChange.name, { user })} isNext={isNext}>
        Edit {toChange.name}
      </ActLink>
    </>
  );
}
