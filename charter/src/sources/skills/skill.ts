/** A skill as the prompt lists it: its file is read by the agent when it is needed. The same object as long as its file is the same. */
export type Skill = {
  readonly name: string;
  readonly description: string;
  readonly location: string;
  /** `disable-model-invocation: true`: known, and not listed. */
  readonly hidden?: boolean;
};
