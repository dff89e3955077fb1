const { homedir, userInfo } = process.getBuiltinModule("node:os");
const { isAbsolute } = process.getBuiltinModule("node:path");

/**
 * The user's home directory, where there is one. A HOME that is empty or relative leads into whatever directory the
 * command runs in: a project's own words and its word on trust would be taken for the user's. So the system is asked.
 */
export function userHome(): string | undefined {
  return [homedir, () => userInfo().homedir].map(asked).find((path) => path !== undefined && isAbsolute(path));
}

/** A container may run as a user the system knows nothing of. */
function asked(where: () => string): string | undefined {
  try {
    return where();
  } catch {
    return undefined;
  }
}
