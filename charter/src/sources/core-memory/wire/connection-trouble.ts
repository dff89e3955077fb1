import type { RelayTrouble } from "../relay-client.ts";

/** What went wrong between us and a relay. */
export type WireTrouble = { readonly kind: RelayTrouble; readonly reason: string };

/** With these nobody was reached. Whatever else goes wrong before a connection stands may have come from the relay. */
const unreachable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "its address cannot be reached from here",
  EAI_AGAIN: "its name cannot be looked up now",
  ECONNREFUSED: "nothing listens there",
  EHOSTDOWN: "its host is down",
  EHOSTUNREACH: "there is no way to its host",
  ENETDOWN: "the network is down",
  ENETUNREACH: "there is no way to its network",
  ENOTFOUND: "its name is not known",
  ETIMEDOUT: "its host does not answer",
};

/** An error of a socket, told apart by whether a connection was made before it. */
export function connectionTrouble(error: unknown, wasConnected: boolean): WireTrouble {
  const codes = codesOf(error);
  const [code] = codes;
  if (!wasConnected && code !== undefined && codes.every((one) => Object.hasOwn(unreachable, one)))
    return { kind: "unreachable", reason: `No connection: ${unreachable[code]} (${code}).` };
  if (code?.startsWith("HPE_")) return { kind: "nonsense", reason: `It does not speak HTTP (${code}).` };
  const cause = code ?? "no reason given";
  return { kind: "closed", reason: wasConnected ? `The connection broke (${cause}).` : `No connection (${cause}).` };
}

/** A host with several addresses fails with an error for each. */
function codesOf(error: unknown): string[] {
  const { code, errors } = Object(error) as { readonly code?: unknown; readonly errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(codesOf);
  return typeof code === "string" ? [code] : [];
}

/** An answer in HTTP that is not the one asked for. */
export function statusTrouble(status: number): WireTrouble {
  return status === 401 || status === 403
    ? { kind: "refused", reason: `It refused the request (HTTP ${status}).` }
    : { kind: "closed", reason: `It answered with HTTP ${status}.` };
}

/** The time was up. */
export const lateTrouble: WireTrouble = { kind: "late", reason: "It did not finish in time." };

/** A relay's own words, for a report: one short line of text, whatever it sent. */
export function saidBy(relay: unknown): string {
  const line = typeof relay === "string" ? relay.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim() : "";
  return line === "" ? "it did not say why" : line.slice(0, 200);
}
