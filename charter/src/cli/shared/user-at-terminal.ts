/** Who sits at the terminal, as far as the machine knows: its user's name where that can be one here, else “you”. */
export function userAtTerminal(): string {
  const name = systemName().replace(/[^\p{L}\p{N}._-]+/gu, "-");
  const trimmed = name.replace(/^-+|-+$/g, "").slice(0, 100);
  return trimmed === "" ? "you" : trimmed;
}

function systemName(): string {
  try {
    return process.getBuiltinModule("node:os").userInfo().username;
  } catch {
    // A container may run as a user the system has no name for.
    return process.env.USER ?? "";
  }
}
