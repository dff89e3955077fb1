/** What a demo tells whoever looks at it: what to say to which agent, and what happens then. */
export type DemoFacts = {
  readonly tries: readonly { readonly agent: string; readonly say: string; readonly result: string }[];
};
