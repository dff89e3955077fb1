const { sep } = process.getBuiltinModule("node:path");

/** Is a path that directory, or something in it? Both absolute, and nothing of them left to resolve. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
