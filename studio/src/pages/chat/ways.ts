import { createContext, useContext } from "react";
import { placeOf, useAsked } from "../../app/place.ts";
import type { Whom } from "./talk.ts";

/** How one gets about in a chat: it is a page of its own, or a drawer beside another page, whose address it shares. */
export type ChatWays = {
  readonly isDrawer: boolean;
  /** The address of one of the user's conversations; of all of them. */
  readonly addressOf: (session: string | undefined) => string;
  /** Speaks as someone else. */
  readonly speakAs: (user: string | undefined) => void;
  /** Leaves the conversation that the address names; who speaks stays as the address says. */
  readonly leave: () => void;
};

const Ways = createContext<ChatWays | undefined>(undefined);
export const WaysProvider = Ways.Provider;

/** Those of the drawer one is in, else those of the page. */
export function useWays({ agent, user }: Whom): ChatWays {
  const [, setAsked] = useAsked();
  const given = useContext(Ways);
  if (given) return given;
  return {
    isDrawer: false,
    addressOf: (session) => placeOf(agent, "chat", undefined, { user, session }),
    speakAs: (next) => setAsked({ user: next, session: undefined }, { replace: false }),
    leave: () => setAsked({ session: undefined }, { replace: false }),
  };
}
