/** Something that may be changed without `verifyStore` noticing: in words, and the columns it stands in by table. */
type Unproven = { readonly words: string; readonly columns: Readonly<Record<string, readonly string[] | "all">> };

const lease = ["runner", "leased_until"];

/** What is no part of a chain, of a text's digest or of a seal. */
export const unproven: readonly Unproven[] = [
  {
    words: "turns, sessions and events, beyond what other rows tell of them",
    columns: { turns: "all", sessions: "all", events: "all" },
  },
  {
    words: "what notes and turns are searched by",
    columns: { memories: ["stems", "search"], vectors: "all", turn_words: "all" },
  },
  {
    words: "what was learned about models, and what a chain can be asked again",
    columns: {
      ...{ windows: "all", refused_kinds: "all" },
      ...{ chain_cursors: "all", chain_blocks: "all", chain_balances: "all" },
    },
  },
  {
    words: "who is at work on a row, and when a token was last used",
    columns: {
      ...{ tokens: ["last_used_at"], automata: lease, runs: lease, inbox: ["leased_until"] },
      ...{ schedules: ["leased_until"], updates: ["leased_until"], dispatches: ["leased_until"] },
    },
  },
];
