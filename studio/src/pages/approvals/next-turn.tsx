import { placeOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { isCounterpart, shownName } from "../../kit/words.ts";

/** With which turn a call is made, and where that is taken: who writes letters has no chat, and needs to write nothing more. */
export function NextTurn({ agent, user }: { readonly agent: string; readonly user: string | undefined }) {
  if (user !== undefined && isCounterpart(user))
    return (
      <>
        with the next turn about “<bdi>{shownName(user)}</bdi>”. It starts on its own.
      </>
    );
  return (
    <>
      with the next turn{user === undefined ? "" : ` of “${user}”`}.{" "}
      <TextLink href={placeOf(agent, "chat", undefined, { user })}>Open the chat</TextLink>
    </>
  );
}
