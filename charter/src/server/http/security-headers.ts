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
export const pagePolicy = pagePolicyWith({});

/**
 * `nonce`: where an editor writes styles of its own, they carry what the page was given. `ownPictures`: the page shows
 * pictures it has fetched itself, or was given by who looks at it.
 */
export function pagePolicyWith(more: { readonly nonce?: string; readonly ownPictures?: boolean | undefined }): string {
  const styles = more.nonce === undefined ? "'self'" : `'self' 'nonce-${more.nonce}'`;
  const pictures = more.ownPictures ? "'self' data: blob:" : "'self' data:";
  return (
    `default-src 'none'; script-src 'self'; style-src ${styles}; img-src ${pictures}; font-src 'self'; ` +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  );
}

export function secure(headers: Headers): void {
  for (const [name, value] of always) headers.set(name, value);
  for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value);
}
