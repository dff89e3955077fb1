import { isIP } from "node:net";
import type { Context } from "hono";
import type { ApiEnv } from "../api.ts";

/**
 * Who is at the other end, for limits: an IPv4 address, or the /64 an IPv6 address lies in (whoever has one address of
 * it has them all). `proxies` says how many of our own stand before the server: each adds the address it saw to the end
 * of X-Forwarded-For, and what stands further to the left anyone may have written. Where nothing is said there are none,
 * on this very machine either: any program on it may send such a header. No other header is looked at.
 */
export function addressOf(context: Context<ApiEnv>, proxies = 0): string {
  const direct = context.env?.incoming?.socket.remoteAddress ?? "";
  const header = context.req.header("x-forwarded-for");
  if (proxies === 0 || header === undefined) return networkOf(direct);
  const seen = header.split(",").map((one) => one.trim());
  return networkOf(seen.at(-proxies) ?? (seen[0] as string));
}

export function networkOf(address: string): string {
  const plain = bare(address).replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIP(plain) === 4) return plain;
  if (isIP(plain) !== 6) return "unknown";
  const [before = "", after] = plain
    .replace(/%.*$/, "")
    .replace(/[\d.]+\.\d+$/, "0:0")
    .split("::");
  const groups = before.split(":").filter((group) => group !== "");
  const rest = (after ?? "").split(":").filter((group) => group !== "");
  const all = [...groups, ...Array<string>(8 - groups.length - rest.length).fill("0"), ...rest];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

/** An address without the brackets and the port some proxies write. */
function bare(address: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(address)?.[1];
  if (bracketed !== undefined) return bracketed;
  return isIP(address) === 0 ? address.replace(/:\d+$/, "") : address;
}
