const { existsSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

/**
 * What was said to an agent is not for the repository of the project it lies in: the first time a database is made in
 * `.charter`, git is told to pass it over. A `.gitignore` that is there already is its owner's.
 */
export async function keepFromGit<Result>(database: string, make: () => Promise<Result>): Promise<Result> {
  const isNew = !existsSync(database);
  const made = await make();
  if (isNew && existsSync(database)) {
    try {
      writeFileSync(join(dirname(database), ".gitignore"), "/charter.db*\n/demo.*\n/*.key\n/.gitignore\n", {
        flag: "wx",
      });
    } catch {
      // There is one, or none can be written: the database is made all the same.
    }
  }
  return made;
}
