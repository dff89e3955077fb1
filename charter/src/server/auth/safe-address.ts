import { loopback } from "../http/host-header.ts";

/** An address whose answers nobody on the way can change: by https, or on this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && loopback.includes(url.hostname));
}
