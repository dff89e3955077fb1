/** Resolves as soon as something is true that nobody tells of, however long that takes: a test has its own limit. */
export async function eventually(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 10));
}
