import { anyValue, badSetting, checkFields, isList, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { BoundPerson, Person } from "../../store/accounts/identities.ts";
import { checkUser } from "../../store/scope.ts";
import { isSafeAddress } from "../http/this-server.ts";

/** Sign-in at an issuer (OpenID Connect), for the page for users and for the studio. */
export type Oidc = {
  /** Address of the issuer, as its tokens name it. */
  readonly issuer: string;
  /** Name of this service at the issuer. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Users by the issuer's `sub`; each with every agent, unless one is named. Everyone else has to be invited. */
  readonly people?: readonly ListedPerson[];
  /** Operators of the studio, by their `sub`. Nobody else is one, whatever the issuer says of them. */
  readonly operators?: readonly string[];
  readonly fetch?: typeof fetch;
};

/** A user by the issuer's `sub`, as a configuration lists them. */
type ListedPerson = { readonly subject: string; readonly user: string; readonly agent?: string };

const isFilled = (value: unknown) => isText(value) && value.trim() !== "";
const hint =
  'Write oidc: { issuer: "https://id.example.com", clientId: "charter", clientSecret: …, people: [{ subject, user }], operators: ["…"] }.';

/** Checks the setting, and names what is wrong with it. */
export function checkOidc(value: unknown, place = "the configuration"): Oidc {
  const at = { name: "oidc", place, hint };
  checkFields<Oidc>(value, {
    ...at,
    fields: {
      issuer: [(one) => isText(one) && isSafeAddress(one), "is no https address"],
      clientId: [isFilled, "is no text"],
      clientSecret: [isFilled, "is no text"],
      people: [isList, "is no list"],
      operators: [(all) => Array.isArray(all) && all.every(isFilled), "is no list of texts"],
      fetch: anyValue,
    },
    needs: ["issuer", "clientId"],
  });
  const { people = [] } = value as Oidc;
  for (const [index, one] of people.entries()) {
    checkFields<ListedPerson>(one, {
      ...{ ...at, name: `oidc.people[${index}]` },
      fields: {
        subject: [isFilled, "is no text"],
        user: [isFilled, "is no user's name"],
        agent: [isFilled, "is no agent's name"],
      },
      needs: ["subject", "user"],
    });
    checkUser(one.user);
  }
  const twice = people.find((one, index) => people.findIndex((other) => isSame(one, other)) !== index);
  if (twice) throw badSetting({ ...at, name: "oidc.people" }, `has “${twice.subject}” twice`);
  return value as Oidc;
}

function isSame(one: ListedPerson, other: ListedPerson): boolean {
  return one.subject === other.subject && one.agent === other.agent;
}

/** A user with an agent. */
export type ChatUser = { readonly agent: string; readonly user: string };

/** Finds the users a person may sign in as: by the list, else by their invitations. No other claim of the issuer counts. */
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
    const match = listed.find((one) => one.agent === agent) ?? listed.find((one) => one.agent === undefined);
    const user = match?.user ?? about.bound.find((one) => one.agent === agent)?.user;
    return user === undefined ? [] : [{ agent, user }];
  });
}

/** Address to which people come back from the issuer: the configured one, or this machine. A request cannot choose it. */
export function returnAddress(about: {
  readonly url: string | undefined;
  /** Shows that only this machine reaches the server. */
  readonly isAlone: boolean;
  /** Returns the address the server listens at, once it does. */
  readonly listensAt: () => string;
}): () => string {
  const { url, isAlone, listensAt } = about;
  if (url === undefined && !isAlone)
    throw new Problem(
      "bad-config",
      "People sign in at an issuer, but the server's public address is not set: they come back to it.",
      "Set CHARTER_URL (or url, or --url) to the address others reach this server by.",
    );
  return () => (url ?? listensAt()).replace(/\/+$/, "");
}
