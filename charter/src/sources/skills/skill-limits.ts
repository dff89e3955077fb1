/** How far skills are looked for, and how much of them a prompt takes. What is beyond is told, never passed over in silence. */
export type SkillLimits = {
  /** Levels of directories below a root. */
  readonly depth: number;
  /** Directories of one root, and skills of one root. */
  readonly directories: number;
  readonly skills: number;
  /** Bytes at a file's beginning within which its front matter ends. */
  readonly frontMatter: number;
  /** Bytes of the listing in the prompt. */
  readonly listing: number;
};

export const skillLimits: SkillLimits = {
  depth: 16,
  directories: 10_000,
  skills: 10_000,
  frontMatter: 65_536,
  listing: 262_144,
};
