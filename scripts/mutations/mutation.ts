/** One break: the words in a file of `charter/src`, exactly once, and what stands there instead. */
export type Mutation = {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Test files under `charter/` that should notice: they are run first. */
  readonly noticedBy?: readonly string[];
};
