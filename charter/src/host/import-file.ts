import { missingImport } from "../packages/missing-package.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { existsSync } from "../sources/input-file.ts";

/**
 * A file of the user's own, run: a charter, a configuration. `import … from "charter"` in it means this very package,
 * wherever the file is; `zod` is ours where its own project has none.
 */
export async function importFile(
  path: string,
  { what, code }: { readonly what: string; readonly code: string },
): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) throw new Problem("no-such-file", `There is no ${what} at ${path}.`, "Check the path.");
  const [{ resolve }, { pathToFileURL }, { useSource }] = await Promise.all([
    import("node:path"),
    import("node:url"),
    import("../../bin/resolve.js"),
  ]);
  const file = pathToFileURL(resolve(path)).href;
  useSource(file);
  try {
    return await import(file);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const missing = missingImport(error);
    if (missing !== undefined)
      throw new Problem(
        "package-missing",
        `The ${what} at ${path} needs the package “${missing}”, which is not installed.`,
        `Run npm install ${missing} in the folder of that file.`,
      );
    throw new Problem(
      code,
      `The ${what} at ${path} could not be loaded: ${reasonOf(error).split("\n")[0]}`,
      "Mend the file; run it with node to see where it fails.",
    );
  }
}
