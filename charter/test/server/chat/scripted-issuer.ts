import { createHash } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** What an issuer does otherwise than it should. */
export type Lie = {
  readonly claims?: JWTPayload;
  /** Signs with a key that it has not published. */
  readonly foreignKey?: boolean;
  /** As its metadata says; the address it was asked at, unless given. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Gives out tokens for a code as often as it is asked. */
  readonly codesStayGood?: boolean;
  readonly down?: boolean;
};

export const issuerAddress = "https://id.example.com";
export const clientId = "charter";

const algorithm = "ES256";
let keys: Promise<{ own: CryptoKey; foreign: CryptoKey; published: object }> | undefined;

async function makeKeys() {
  const [own, foreign] = await Promise.all([generateKeyPair(algorithm), generateKeyPair(algorithm)]);
  const published = { ...(await exportJWK(own.publicKey)), kid: "1", alg: algorithm, use: "sig" };
  return { own: own.privateKey, foreign: foreign.privateKey, published };
}

/** An issuer without a socket: it signs whoever is named in, at once, and lies as it is told to. */
export function scriptedIssuer() {
  let lie: Lie = {};
  let made = 0;
  const codes = new Map<string, { asked: URLSearchParams; subject: string; used: boolean }>();
  const json = (body: unknown, status = 200) =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

  const tokens = async (form: URLSearchParams) => {
    const found = codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const sound =
      found?.asked.get("code_challenge") === challenge && found.asked.get("redirect_uri") === form.get("redirect_uri");
    if (!found || !sound || (found.used && !lie.codesStayGood)) return json({ error: "invalid_grant" }, 400);
    found.used = true;
    keys ??= makeKeys();
    const { own, foreign } = await keys;
    const usual = {
      ...{ iss: issuerAddress, sub: found.subject, aud: clientId, nonce: found.asked.get("nonce") ?? "" },
    };
    const now = Math.floor(Date.now() / 1000);
    const signed = await new SignJWT({ ...usual, iat: now, exp: now + 300, ...lie.claims })
      .setProtectedHeader({ alg: algorithm, kid: "1" })
      .sign(lie.foreignKey ? foreign : own);
    return json({ access_token: "opaque", token_type: "Bearer", id_token: signed });
  };
  const asked: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    if (lie.down) throw new TypeError("fetch failed");
    if (pathname === "/.well-known/openid-configuration")
      return json({
        issuer: issuerAddress,
        authorization_endpoint: `${issuerAddress}/authorize`,
        token_endpoint: `${issuerAddress}/token`,
        jwks_uri: `${issuerAddress}/keys`,
        response_types_supported: ["code"],
        id_token_signing_alg_values_supported: [algorithm],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
        ...lie.metadata,
      });
    keys ??= makeKeys();
    if (pathname === "/keys") return json({ keys: [(await keys).published] });
    return pathname === "/token" ? tokens(new URLSearchParams(String(init?.body))) : json({}, 404);
  };
  return {
    fetch: asked,
    lies: (now: Lie) => {
      lie = now;
    },
    /** What someone's browser comes back with who signs in there as `subject`. */
    signsIn: (authorizeUrl: string, subject: string): { returnTo: string; query: string } => {
      const { searchParams: wanted } = new URL(authorizeUrl);
      const code = `code-${++made}`;
      codes.set(code, { asked: wanted, subject, used: false });
      const query = `?${new URLSearchParams({ code, state: wanted.get("state") ?? "" })}`;
      return { returnTo: wanted.get("redirect_uri") ?? "", query };
    },
  };
}
