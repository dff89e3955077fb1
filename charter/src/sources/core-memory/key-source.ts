/** Where a secret key is: in a file that only its owner can read, in the environment, or what a command prints. */
export type KeyConfig = { readonly file: string } | { readonly env: string } | { readonly command: readonly string[] };
