import { Problem } from "../../prompt/problem.ts";

/** By which names the server may be asked: these, or any. A port is not looked at. */
export type HostNames = readonly string[] | "any";

/** The names of this machine for itself. */
export const loopback: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

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
