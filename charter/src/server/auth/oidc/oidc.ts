import { anyValue, badSetting, checkFields, isList, isText } from "../../../prompt/argument.ts";
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

const isFilled = (value: unknown) => isText(value) && value.trim() !== "";
const hint =
  'Write oidc: { issuer: "https://id.example.com", clientId: "charter", clientSecret: …, people: [{ subject, user }], operators: ["…"] }.';

/** The setting as it was written: what is wrong with it is named. */
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
