/** An objection. One that `holds` asks for a person's approval instead of saying no. */
export type Refusal = { readonly guard: string; readonly because: string; readonly holds?: true };
