import type { BoundPerson, Person } from "../../../store/accounts/identities.ts";
import type { ListedPerson } from "./oidc.ts";

/** A user with an agent. */
export type ChatUser = { readonly agent: string; readonly user: string };

/**
 * Who a person is, with which agents: as the list says, else as they are bound. Nothing else that an issuer tells of
 * them counts.
 */
export function whoIs(
  { subject }: Person,
  about: {
    readonly people: readonly ListedPerson[];
    readonly bound: readonly BoundPerson[];
    readonly agents: readonly string[];
  },
): ChatUser[] {
  const listed = about.people.filter((one) => one.subject === subject);
  return about.agents.flatMap((agent) => {
    const named = listed.find((one) => one.agent === agent) ?? listed.find((one) => one.agent === undefined);
    const user = named?.user ?? about.bound.find((one) => one.agent === agent)?.user;
    return user === undefined ? [] : [{ agent, user }];
  });
}
