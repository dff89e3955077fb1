import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { loadPackage } from "../../packages/load-package.ts";
import { Problem } from "../../prompt/problem.ts";
import { checkUser } from "../../store/scope.ts";
import { isSafeAddress } from "../http/this-server.ts";

/** Verification of users' JSON Web Tokens: with a shared secret, or with published keys. */
export type Jwt = {
  /** Shared secret for HS256, of 32 bytes or more. */
  readonly secret?: string;
  /** Address of the public keys. */
  readonly jwks?: string;
  readonly issuer?: string;
  readonly audience?: string;
  /** Claim with the context of the user's turns (`runTurn({ context })`), as in “charter_context”. */
  readonly context?: string;
  readonly fetch?: typeof fetch;
};

/**
 * Verifies a JSON Web Token. “over” means that its signature is valid but its claims are not (any more); undefined, that it is
 * none of ours.
 */
export type CheckJwt = (token: string) => Promise<JwtClaims | "over" | undefined>;

/** User of a token, its expiry, and the context it claims. */
type JwtClaims = { readonly user: string; readonly until: number; readonly context?: unknown };

/** Algorithms with a key pair: who can read the key that checks a token must not be able to sign one with it. */
const published = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

/** Tolerated difference between two machines' clocks, in seconds. */
const toleratedSeconds = 5;

export function createJwtCheck(jwt: Jwt, clock: () => Date): CheckJwt {
  const { issuer, audience } = jwt;
  const keys = keysOf(jwt);
  const claims = { ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };
  const loading = memoise(async () => {
    const jose = await loadPackage("jose", { purpose: "Checking JSON Web Tokens" });
    if (!(keys instanceof URL)) return { jose, key: async () => keys, algorithms: ["HS256"] };
    const remote = jose.createRemoteJWKSet(keys, { [jose.customFetch]: unhurried(jwt.fetch ?? fetch, clock) });
    return { jose, key: reachable(remote, jose.errors), algorithms: published };
  });
  return async (token) => {
    const { jose, key, algorithms } = await loading();
    try {
      const about = { algorithms, requiredClaims: ["exp", "sub"], clockTolerance: toleratedSeconds };
      const { payload } = await jose.jwtVerify(token, key, { ...about, ...claims, currentDate: clock() });
      return claimsOf(payload, jwt.context);
    } catch (error) {
      // Claims are checked only after the signature was found valid.
      if (error instanceof jose.errors.JWTExpired || error instanceof jose.errors.JWTClaimValidationFailed)
        return "over";
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  };
}

/** Reads a token's claims. A subject that cannot be a user's id is refused. */
function claimsOf(payload: JWTPayload, claim: string | undefined): JwtClaims | "over" {
  const { sub, exp } = payload;
  if (typeof sub !== "string" || exp === undefined) return "over";
  try {
    checkUser(sub);
    const context = claim !== undefined && Object.hasOwn(payload, claim) ? { context: payload[claim] } : {};
    return { user: sub, until: (exp + toleratedSeconds) * 1000, ...context };
  } catch {
    return "over";
  }
}

/** Tells an unknown key, which makes a token invalid, from keys that cannot be fetched, which say nothing about it. */
function reachable(keys: JWTVerifyGetKey, errors: typeof import("jose").errors): JWTVerifyGetKey {
  const about = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      throw about.some((known) => error instanceof known) ? error : unreachable();
    }
  };
}

/** Waits two seconds before it fetches keys again from a server that failed, so that it can recover. Known keys still work. */
function unhurried(fetching: typeof fetch, clock: () => Date) {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (url: string, init: object): Promise<Response> => {
    if (clock().getTime() - failedAt < 2_000) throw unreachable();
    try {
      const answer = await fetching(url, init);
      const text = await answer.text();
      if (answer.status !== 200 || !Array.isArray(JSON.parse(text).keys)) throw unreachable();
      return new Response(text);
    } catch (error) {
      failedAt = clock().getTime();
      throw error;
    }
  };
}

function unreachable(): Problem {
  return new Problem(
    "keys-unreachable",
    "The keys for checking JSON Web Tokens cannot be fetched.",
    "Try again in a while. The operator: check the address of the key set (jwks), and that it answers.",
  );
}

function keysOf({ secret, jwks }: Jwt): Uint8Array | URL {
  if ((secret === undefined) === (jwks === undefined)) throw badJwt("There is not one secret or one key set (jwks).");
  if (secret !== undefined) {
    const bytes = new TextEncoder().encode(secret);
    if (bytes.length < 32) throw badJwt("The secret has fewer than 32 bytes.");
    return bytes;
  }
  if (isSafeAddress(jwks as string)) return new URL(jwks as string);
  throw badJwt(`“${jwks}” is no https address of a key set.`);
}

function badJwt(message: string): Problem {
  return new Problem(
    "bad-jwt",
    message,
    "Give `jwt` either a secret of 32 bytes or more, or `jwks`, an https address; not both.",
  );
}

/** Runs a function once, on first use, and again only if it failed. */
export function memoise<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= make().catch((error) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
