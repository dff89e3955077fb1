/** A file that may be a skill. */
export type SkillPlace = {
  readonly path: string;
  /** The file itself, wherever links lead. */
  readonly real: string;
  /** The name it must have: that of its directory, or its own when it is `alone`. */
  readonly called: string;
  /** A Markdown file that stands for a skill by itself, without a directory of its own. */
  readonly alone: boolean;
  /** A link is on the way to it. */
  readonly linked: boolean;
};
