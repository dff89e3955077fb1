/** An address of a chain, taken apart: what is asked, with which headers, and what may be told of it. */
type RpcAddress = {
  readonly url: string;
  /** Its host: the rest of the address may have a key in it. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Words of the address itself as they may be repeated: on one line, and without what is secret in its own address. */
  readonly repeatable: (words: string) => string;
};

/** So long something in a path has to be to be taken for a key; names of networks and versions are shorter. */
const keyLength = 8;
/** So much of a secret gives it away. */
const partLength = 6;
const longest = 300;

export function readRpcAddress(address: string): RpcAddress {
  const url = new URL(address);
  const { host, username, password, pathname, searchParams } = url;
  const [user, word] = [decoded(username), decoded(password)];
  const basic = user === "" && word === "" ? undefined : Buffer.from(`${user}:${word}`).toString("base64");
  // What an address asks to be sent along is a header: nothing is fetched from where both are named.
  url.username = "";
  url.password = "";
  const inPath = pathname.split("/").filter((piece) => piece.length >= keyLength);
  const all = [username, password, basic ?? "", ...inPath, ...searchParams.values()];
  const secrets = [...new Set(all.flatMap((one) => [one, decoded(one), encodeURIComponent(one)]))]
    .filter((one) => one !== "")
    .sort((one, other) => other.length - one.length);
  const isPart = (word: string) => secrets.some((secret) => secret.toLowerCase().includes(word.toLowerCase()));
  return {
    url: url.href,
    host,
    headers: basic === undefined ? {} : { authorization: `Basic ${basic}` },
    repeatable: (words) => {
      let told = words;
      for (const secret of secrets) told = told.replaceAll(secret, "…");
      return told
        .replace(/[\w.~%+/=-]+/g, (word) => (word.length >= partLength && isPart(bare(word)) ? "…" : word))
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
        .slice(0, longest);
    },
  };
}

/** What a word is without the dots that it is cut off with; nothing, where too little is left of it. */
function bare(word: string): string {
  const left = word.replace(/\.+$/, "");
  return left.length >= partLength ? left : "\n";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
