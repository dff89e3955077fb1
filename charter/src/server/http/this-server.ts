import { Problem } from "../../prompt/problem.ts";

/** Host names the server answers to: these, or any. Ports are ignored. */
export type HostNames = readonly string[] | "any";

/** Names of this machine for itself. */
const loopback: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Names of a server: this machine's, that of its public address, and the configured ones. A server that others can reach but that
 * has no name configured answers to any.
 */
export function hostNamesFor(about: {
  readonly hostname?: string | undefined;
  readonly url?: string | undefined;
  readonly hosts?: HostNames | undefined;
}): HostNames {
  const { hostname = "127.0.0.1", url, hosts = [] } = about;
  if (hosts === "any") return "any";
  const own = nameIn(hostname);
  const names = [...(url !== undefined && URL.canParse(url) ? [new URL(url).host] : []), ...hosts];
  return isLoopback(hostname) || names.length > 0 ? [...loopback, own, ...names] : "any";
}

/** Checks whether a server that listens there is reached from this machine alone. */
export function isLoopback(hostname: string): boolean {
  const own = nameIn(hostname);
  return loopback.includes(own) || own.startsWith("127.");
}

function nameIn(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname.toLowerCase();
}

/**
 * Refuses requests for other host names than the server's own. Otherwise a foreign page whose name was made to point to this
 * machine (DNS rebinding) could read from it.
 */
export function createHostCheck(hosts: HostNames): (url: string, header: string | null) => void {
  if (hosts === "any") return () => {};
  const known = new Set(hosts.map((host) => nameOf(host.toLowerCase())));
  return (url, header) => {
    const urlName = nameOf(url.slice(url.indexOf("://") + 3).split(/[/?#]/, 1)[0] as string);
    const headerName = header === null ? urlName : nameOf(header.toLowerCase());
    if (known.has(urlName) && known.has(headerName)) return;
    throw new Problem(
      "wrong-host",
      "This server does not serve the host in the request's Host header.",
      "Use a name it has (on this machine: localhost), or let the operator add the name to its hosts.",
    );
  };
}

function nameOf(host: string): string {
  return host.replace(/:\d*$/, "").replace(/\.$/, "");
}

/** Address at which this machine reaches a server; `localhost` if it listens on all addresses. */
export function hostUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Recognises addresses whose answers nobody on the way can change: by https, or on this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && loopback.includes(url.hostname));
}

/** Recognises paths of the page for users and its API. Their session opens nothing else, and no other credential opens them. */
export function isForChat(path: string): boolean {
  return path.startsWith("/chat/");
}

/** Recognises paths for clients of OpenAI's API: they read errors in its form. */
export function isForGateway(path: string): boolean {
  return path.startsWith("/v1/");
}

/** Command as it is typed where the server runs: `npx charter`, and the options to reach the same database. */
export type CommandHint = { readonly name: string; readonly options: string };

export function commandHint(given: {
  readonly command?: string | undefined;
  readonly commandOptions?: string | undefined;
}): CommandHint {
  return { name: given.command ?? "charter", options: given.commandOptions ?? "" };
}

/** Formats a command as it is typed here: `tokens sign-in` becomes `npx charter tokens sign-in --database my.db`. */
export function commandLine({ name, options }: CommandHint, words: string): string {
  return [name, words, options].filter((one) => one !== "").join(" ");
}

/** Suggestions of a demo: what to say to which agent, and what happens then. */
export type DemoFacts = {
  readonly tries: readonly { readonly agent: string; readonly say: string; readonly result: string }[];
};

/** Compares a page's origin with the request's address by name. A proxy that ends TLS may turn https into http. */
export function isOwn(origin: string, url: string): boolean {
  const requestOrigin = /^(https?):\/\/([^/?#]+)/.exec(url);
  const page = /^(https?):\/\/([^/?#]+)$/.exec(origin);
  if (!requestOrigin || !page) return false;
  return (
    page[2]?.toLowerCase() === requestOrigin[2]?.toLowerCase() && (page[1] === requestOrigin[1] || page[1] === "https")
  );
}
