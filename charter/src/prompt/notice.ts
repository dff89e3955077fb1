/** A warning for the operator about a prompt that was built nevertheless. */
export type Notice = { readonly code: string; readonly section?: string; readonly message: string };
