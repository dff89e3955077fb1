import { placeOf } from "../../app/place.ts";
import { To } from "../../billing/links.tsx";

/** The turns of one session, with its picture. */
export function sessionPlace(agent: string, session: string): string {
  return placeOf(agent, "turns", undefined, { session, picture: "open" });
}

export function ToSession(props: { readonly agent: string; readonly session: string; readonly inTabOrder?: boolean }) {
  const { agent, session, inTabOrder = true } = props;
  return (
    <To href={sessionPlace(agent, session)} inTabOrder={inTabOrder}>
      session
    </To>
  );
}
