import { isRecord } from "../../../prompt/argument.ts";
import { Problem } from "../../../prompt/problem.ts";
import { checkUser } from "../../../store/scope.ts";
import { isSafeAddress } from "../safe-address.ts";

/** Signing in at an issuer (OpenID Connect), for the page for users and for the studio. */
export type Oidc = {
  /** Its address, as its tokens name it. */
  readonly issuer: string;
  /** What it calls this service. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Who is which user, by the issuer's `sub`; with every agent, unless one is named. Others are invited. */
  readonly people?: readonly ListedPerson[];
  /** Who may use the studio: the `sub` of each. Nobody else may, whatever the issuer says of them. */
  readonly operators?: readonly string[];
  readonly fetch?: typeof fetch;
};

/** Who of an issuer is which user, as a configuration says it. */
export type ListedPerson = { readonly subject: string; readonly user: string; readonly agent?: string };

/** The setting as it was written: what is wrong with it is named. */
export function checkOidc(value: unknown): Oidc {
  if (!isRecord(value)) throw badOidc("“oidc” is no object.");
  const { issuer, clientId, clientSecret, people = [], operators = [], fetch, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) throw badOidc(`“oidc.${other}” is no setting.`);
  if (typeof issuer !== "string" || !isSafeAddress(issuer)) throw badOidc("“oidc.issuer” is no https address.");
  if (!isText(clientId)) throw badOidc("“oidc.clientId” is missing.");
  if (clientSecret !== undefined && !isText(clientSecret)) throw badOidc("“oidc.clientSecret” is no text.");
  if (!Array.isArray(operators) || !operators.every(isText)) throw badOidc("“oidc.operators” is no list of texts.");
  if (!Array.isArray(people)) throw badOidc("“oidc.people” is no list.");
  for (const [place, one] of people.entries()) checkPerson(one, `oidc.people[${place}]`);
  const twice = people.find((one, place) => people.findIndex((other) => isSame(one, other)) !== place);
  if (twice) throw badOidc(`“oidc.people” has “${twice.subject}” twice.`);
  return value as Oidc;
}

function checkPerson(one: unknown, place: string): void {
  if (!isRecord(one) || !isText(one.subject) || !isText(one.user)) throw badOidc(`“${place}” has no subject and user.`);
  if (one.agent !== undefined && !isText(one.agent)) throw badOidc(`“${place}.agent” is no agent's name.`);
  const [other] = Object.keys(one).filter((name) => !["subject", "user", "agent"].includes(name));
  if (other !== undefined) throw badOidc(`“${place}.${other}” is no setting.`);
  checkUser(one.user);
}

function isSame(one: ListedPerson, other: ListedPerson): boolean {
  return one.subject === other.subject && one.agent === other.agent;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function badOidc(message: string): Problem {
  return new Problem(
    "bad-config",
    message,
    'Write oidc: { issuer: "https://id.example.com", clientId: "charter", clientSecret: …, people: [{ subject, user }], operators: ["…"] }.',
  );
}
