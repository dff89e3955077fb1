/**
 * A guard's objection: its name and the reason. With `holds` the change waits for a person's approval and is not
 * refused.
 */
export type Refusal = { readonly guard: string; readonly because: string; readonly holds?: true };
