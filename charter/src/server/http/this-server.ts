import { Problem } from "../../prompt/problem.ts";

/** By which names the server may be asked: these, or any. A port is not looked at. */
export type HostNames = readonly string[] | "any";

/** The names of this machine for itself. */
const loopback: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The names a server has: this machine's, the one others reach it by, and those it was given. One that others can reach,
 * and that was given no name, answers to any.
 */
export function hostNamesFor(about: {
  readonly hostname?: string | undefined;
  readonly url?: string | undefined;
  readonly hosts?: HostNames | undefined;
}): HostNames {
  const { hostname = "127.0.0.1", url, hosts = [] } = about;
  if (hosts === "any") return "any";
  const own = nameIn(hostname);
  const named = [...(url !== undefined && URL.canParse(url) ? [new URL(url).host] : []), ...hosts];
  return isLoopback(hostname) || named.length > 0 ? [...loopback, own, ...named] : "any";
}

/** Whether nobody but this machine reaches a server that listens there. */
export function isLoopback(hostname: string): boolean {
  const own = nameIn(hostname);
  return loopback.includes(own) || own.startsWith("127.");
}

function nameIn(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname.toLowerCase();
}

/**
 * A page on a name that was made to lead to this machine asks by that name, and is turned away: the server answers to
 * its own names only.
 */
export function createHostCheck(hosts: HostNames): (url: string, header: string | null) => void {
  if (hosts === "any") return () => {};
  const known = new Set(hosts.map((host) => nameOf(host.toLowerCase())));
  return (url, header) => {
    const asked = nameOf(url.slice(url.indexOf("://") + 3).split(/[/?#]/, 1)[0] as string);
    const named = header === null ? asked : nameOf(header.toLowerCase());
    if (known.has(asked) && known.has(named)) return;
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

/** The address at which this machine reaches a server that listens on a host: one that listens on all is at `localhost`. */
export function hostUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** An address whose answers nobody on the way can change: by https, or on this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && loopback.includes(url.hostname));
}

/** The page for users and its API have a door of their own: what opens it opens no other, and nothing else opens it. */
export function isForChat(path: string): boolean {
  return path.startsWith("/chat/");
}

/** How the command is typed where the server runs: `npx charter`, and what it needs to reach the same database. */
export type CommandHint = { readonly name: string; readonly options: string };

export function commandHint(given: {
  readonly command?: string | undefined;
  readonly commandOptions?: string | undefined;
}): CommandHint {
  return { name: given.command ?? "charter", options: given.commandOptions ?? "" };
}

/** A command as it is typed here: `tokens sign-in` to `npx charter tokens sign-in --database my.db`. */
export function commandLine({ name, options }: CommandHint, words: string): string {
  return [name, words, options].filter((one) => one !== "").join(" ");
}

/** What a demo tells whoever looks at it: what to say to which agent, and what happens then. */
export type DemoFacts = {
  readonly tries: readonly { readonly agent: string; readonly say: string; readonly result: string }[];
};
