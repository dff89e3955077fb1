/** What a style that a library writes into the page has to carry, by the page's own policy. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
