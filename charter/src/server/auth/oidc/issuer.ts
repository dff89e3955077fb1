import type { ClientAuth, Configuration } from "openid-client";
import { loadPackage } from "../../../packages/load-package.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Person } from "../../../store/accounts/identities.ts";
import { memoise } from "../memoise.ts";
import type { Flow } from "./flow.ts";
import type { Oidc } from "./oidc.ts";

type Client = typeof import("openid-client");

/** The issuer that people sign in at. */
export type Issuer = {
  /** Where the browser goes, and comes back from to `returnTo`. */
  readonly startAt: (flow: Flow, returnTo: string) => Promise<string>;
  /** Who came back with this query. Whatever of it does not hold is a Problem. */
  readonly finish: (flow: Flow, returnTo: string, query: string) => Promise<Person>;
};

const timeoutSeconds = 10;

/** Authorization code flow with PKCE. What comes back is believed by its signature, although it comes from the issuer itself. */
export function createIssuer(oidc: Oidc): Issuer {
  const loading = memoise(async () => {
    const client = await loadPackage("openid-client", { purpose: "Signing in at an issuer" });
    return { client, config: await discover(client, oidc) };
  });
  return {
    startAt: async ({ state, nonce, verifier }, returnTo) => {
      const { client, config } = await loading();
      const challenge = await client.calculatePKCECodeChallenge(verifier);
      const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
      const asked = { redirect_uri: returnTo, scope: "openid", state, nonce, ...pkce };
      return client.buildAuthorizationUrl(config, asked).href;
    },
    finish: async ({ state, nonce, verifier }, returnTo, query) => {
      const { client, config } = await loading();
      const back = new URL(returnTo);
      back.search = query;
      const expected = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await client.authorizationCodeGrant(config, back, expected).catch((error: unknown) => {
        throw isOutage(error) ? unreachable(oidc.issuer) : refused(oidc.issuer, reasonIn(client, error));
      });
      const { iss, sub } = tokens.claims() ?? {};
      // Some issuers stand for many: only what is said under this one's own name counts.
      if (iss === undefined || sub === undefined || iss !== config.serverMetadata().issuer || sub.length > 255)
        throw refused(oidc.issuer, undefined);
      return { issuer: iss, subject: sub };
    },
  };
}

async function discover(client: Client, { issuer, clientId, clientSecret, fetch }: Oidc): Promise<Configuration> {
  const isPlain = new URL(issuer).protocol === "http:";
  const auth = clientSecret === undefined ? client.None() : secretAuth(client, clientSecret);
  try {
    return await client.discovery(new URL(issuer), clientId, clientSecret, auth, {
      timeout: timeoutSeconds,
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      ...(fetch ? { [client.customFetch]: fetch as never } : {}),
    });
  } catch {
    throw unreachable(issuer);
  }
}

/** In the body where the issuer reads it there, else in the header, as is usual. */
function secretAuth(client: Client, secret: string): ClientAuth {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const isRead = server.token_endpoint_auth_methods_supported?.includes("client_secret_post");
    return (isRead ? post : basic)(server, ...rest);
  };
}

/** It was the way there, and nothing that was said. */
function isOutage(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === "OAUTH_TIMEOUT" || name === "TimeoutError" || (error instanceof TypeError && code === undefined);
}

/** The issuer's own word for a refusal, where it is a word. */
function reasonIn(client: Client, error: unknown): string | undefined {
  const told = error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError;
  return told && /^[a-z_]{1,40}$/.test(error.error) ? error.error : undefined;
}

function refused(issuer: string, reason: string | undefined): Problem {
  const said = reason === undefined ? "What came back does not hold." : `Its reason: ${reason}.`;
  return new Problem("bad-sign-in", `You are not signed in by ${issuer}. ${said}`, "Start again.");
}

function unreachable(issuer: string): Problem {
  return new Problem(
    "issuer-unreachable",
    `${issuer} cannot be reached, or is not set up as an issuer.`,
    "Try again in a while. The operator: check oidc.issuer, and that it answers.",
  );
}
