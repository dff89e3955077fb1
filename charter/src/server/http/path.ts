import { Problem } from "../../prompt/problem.ts";

/**
 * A path every reader reads alike: no broken or overlong encoding, no control character, no bare backslash. An encoded
 * slash or backslash may stand in a name (“a%2Fb”, “CORP%5Cann”): routes are found before it is decoded.
 */
export function checkPath(url: string): void {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  const path = start === -1 ? "/" : url.slice(start, end === -1 ? undefined : start + end);
  if (plain.test(path) && !path.includes("//")) return;
  const decoded = decode(path);
  if (decoded !== undefined && !/\p{Cc}/u.test(decoded) && !/\/\/|\\/.test(path)) return;
  throw new Problem(
    "bad-request",
    "The address cannot be read.",
    "Encode each name in it once, as UTF-8, and leave out control characters and empty parts.",
  );
}

const plain = /^[\w/.~-]*$/;

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
