/** The page for users, as a bot tells of it. */
export type UserPage = {
  /** Where it is, if others than this machine can reach it. */
  readonly url?: string;
  /** Makes a link that signs this user in there, once. */
  readonly link: (user: string) => Promise<string>;
};
