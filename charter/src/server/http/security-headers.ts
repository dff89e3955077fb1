/** What a browser may do with an answer, whatever it is. */
const always: readonly (readonly [name: string, value: string])[] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["x-frame-options", "DENY"],
];

/** Nothing at all, unless it is a page; nobody keeps it, unless it says so; no other site's page has it. */
const usual: readonly (readonly [name: string, value: string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-origin"],
];

/** A page has its own files and nobody else's; no script stands in the page itself. */
const policy = (styles: string) =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self'; ` +
  "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export const pagePolicy = policy("'self'");

/** Where an editor writes styles of its own, they carry what the page was given. */
export function pagePolicyWith(nonce: string): string {
  return policy(`'self' 'nonce-${nonce}'`);
}

export function secure(headers: Headers): void {
  for (const [name, value] of always) headers.set(name, value);
  for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value);
}
