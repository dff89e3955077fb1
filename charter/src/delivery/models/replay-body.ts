import type { ModelRequest, SentBody } from "../model.ts";
import { bodyDigest } from "./escape.ts";
import { type FoundModel, findModel, type ModelSources } from "./find-model.ts";
import { openProvider } from "./provider.ts";
import { withOutputWords } from "./wire.ts";

/** The body of a request, made again and not sent. */
export type ReplayedBody = {
  readonly text: string;
  readonly digest: string;
  readonly address: string;
  /** Headers without the key: its value is the name of the variable it is in, after a dollar sign. */
  readonly headers: Readonly<Record<string, string>>;
  readonly package: string;
  readonly version: string;
  /** The digest and origin of the body that was sent; null where it is not on record. */
  readonly sent: SentBody | null;
  /** Shows that this is, byte for byte, the body that was sent. Null: not known. */
  readonly same: boolean | null;
};

/**
 * Makes a provider's package build the body of a request again, as `loadModel` would send it. Nothing is sent, and no key is needed.
 * Null for a model that is not loaded by its name: the origin of its body is not known here.
 */
export async function replayBody(
  name: string,
  request: ModelRequest,
  sent: SentBody | null,
  sources: ModelSources = { env: {} },
): Promise<ReplayedBody | null> {
  const found = findModel(name, sources);
  if (found === undefined) return null;
  let posted: { readonly url: URL; readonly headers: Headers; readonly text: string } | undefined;
  const keep: typeof fetch = async (input, init) => {
    posted = { url: new URL(String(input)), headers: new Headers(init?.headers), text: String(init?.body) };
    throw new Error("It is not sent.");
  };
  // Replaces every key by the variable it is in.
  const { apiKey, headers: own, secrets } = found.credentials(variablesFor(found, sources));
  const hidden = secrets.filter((secret) => !secret.startsWith("$"));
  const { model, madeBy } = await openProvider(found, {
    ...{ apiKey, headers: own, secrets: [], fetch: keep, baseURL: "http://localhost/v1" },
    overrides: {
      ...(sent?.cache ? { cache: sent.cache } : {}),
      ...(sent ? { guardsTokens: sent.escaped !== true } : {}),
    },
  });
  const make = (one: ModelRequest) => model.ask(one, { signal: new AbortController().signal });
  await make(request);
  // Tries the form of the answer in words too, which is how it was sent if the server refused its field.
  if (request.output && sent && posted && (await bodyDigest(posted.text)) !== sent.digest) {
    const inField = posted;
    await make(withOutputWords(request));
    if (posted && (await bodyDigest(posted.text)) !== sent.digest) posted = inField;
  }
  if (posted === undefined) return null;
  const { text, headers, url } = posted;
  const digest = await bodyDigest(text);
  const address = sent ? `${sent.address}${url.search}` : `${addressOf(found)}${url.pathname.slice(3)}${url.search}`;
  const shown = [...headers].filter(([header]) => header !== "user-agent");
  return {
    text,
    digest,
    address,
    headers: Object.fromEntries(
      shown.map(([header, value]) => [header, hidden.reduce((text, one) => text.replace(one, "$API_KEY"), value)]),
    ),
    ...madeBy,
    sent,
    same: sent ? sent.digest === digest : null,
  };
}

function variablesFor({ needs }: FoundModel, { env }: ModelSources): Readonly<Record<string, string>> {
  const set = Object.keys(env).filter((name) => env[name]?.trim());
  return Object.fromEntries([...set, ...needs].map((name) => [name, `$${name}`]));
}

function addressOf({ address }: FoundModel): string {
  try {
    return address().replace(/\?.*$/s, "");
  } catch {
    return "";
  }
}

/** Says in one sentence whether a body is the one that was sent. */
export function bodyText({
  digest,
  package: name,
  version,
  sent,
  same,
}: Omit<ReplayedBody, "text" | "headers">): string {
  const made = `${name} ${version}`;
  if (sent === null)
    return `Made now by ${made}: sha256 ${digest}. Which bytes went out is not on record, since the step never came to an end.`;
  const then = `${sent.package} ${sent.version}`;
  const other = then === made ? "" : `, now by another version, ${made}`;
  if (same) return `Byte for byte what was sent: sha256 ${digest}, made by ${then}${other}.`;
  const why = other === "" ? "The rules it was made by have changed" : "It was made by another version";
  return `Not the bytes that were sent. ${why}: sent was sha256 ${sent.digest}, made by ${then}; this is sha256 ${digest}, made by ${made}.`;
}

/**
 * Writes the command that sends a body once more, for a POSIX shell. The key is a variable that the shell fills in. The body goes
 * through a pipe: it may be longer than an argument.
 */
export function curlOf({ text, address, headers }: Pick<ReplayedBody, "text" | "address" | "headers">): string {
  const lines = [
    `printf %s ${quoted(text)}`,
    `curl --silent --show-error --no-buffer ${quoted(address)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${header(name, value)}`),
    "--data-binary @-",
  ];
  return `${lines[0]} |\n  ${lines.slice(1).join(" \\\n    ")}`;
}

/** Quotes a text for a shell: in single quotes only their end has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function header(name: string, value: string): string {
  const [, before = value, variable] = /^([^$]*)\$([A-Z_]+)$/.exec(value) ?? [];
  return variable === undefined ? quoted(`${name}: ${value}`) : `${quoted(`${name}: ${before}`)}"$${variable}"`;
}
