/** Something the operator should know about a prompt that was built all the same. */
export type Notice = { readonly code: string; readonly section?: string; readonly message: string };
