/**
 * A skill as it is listed in the prompt; the agent reads its file when it needs it. The same object as long as the file
 * does not change.
 */
export type Skill = {
  readonly name: string;
  readonly description: string;
  readonly location: string;
  /** `disable-model-invocation: true`: it is known, but not listed. */
  readonly hidden?: boolean;
};
