import { placeOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";

type OneNoteProps = { readonly agent: string; readonly user: string | undefined; readonly isThere: boolean };

/** Above the one note that the address names: that there are others, or that this one is gone. */
export function OneNote({ agent, user, isThere }: OneNoteProps) {
  return (
    <p role="status" className="mb-2 flex flex-wrap gap-x-3 text-sm text-soft">
      <span>
        {isThere ? "You see one note." : "This note is not here: it was deleted or replaced, or it is someone else’s."}
      </span>
      <TextLink href={placeOf(agent, "memory", undefined, { user })}>
        {user === undefined ? "Show all notes of the agent" : "Show all notes about this user"}
      </TextLink>
      {!isThere && user !== undefined && (
        <TextLink href={placeOf(agent, "memory")}>Show the agent’s own notes</TextLink>
      )}
    </p>
  );
}
