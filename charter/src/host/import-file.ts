import { missingImport } from "../packages/load-package.ts";
import { Problem, reasonOf } from "../prompt/problem.ts";
import { existsSync } from "../sources/input-file.ts";

type ImportOptions = {
  readonly what: string;
  readonly code: string;
  /** Digests of files when they were trusted (SHA-256, by their real paths): a file that has changed since is not run. */
  readonly digests?: ReadonlyMap<string, string>;
};

/**
 * Runs a file of the user's own: a charter or a configuration. `import … from "charter"` in it means this very package,
 * wherever the file is; `zod` is ours unless its own project has it.
 */
export async function importFile(
  path: string,
  { what, code, digests }: ImportOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) throw new Problem("no-such-file", `There is no ${what} at ${path}.`, "Check the path.");
  const [{ resolve }, { pathToFileURL }, { useSource }] = await Promise.all([
    import("node:path"),
    import("node:url"),
    import("../../bin/resolve.js"),
  ]);
  const file = pathToFileURL(resolve(path)).href;
  useSource(file);
  const unwatch = digests ? refuseChanged(digests) : () => {};
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
      "Fix the file; run it with node to see where it fails.",
    );
  } finally {
    unwatch();
  }
}

/**
 * Compares a file's text with its digest at the moment it is loaded to run. Without Node's hooks (in Bun) nothing is compared.
 */
function refuseChanged(digests: ReadonlyMap<string, string>): () => void {
  const { registerHooks } = process.getBuiltinModule("node:module");
  if (registerHooks === undefined) return () => {};
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const { hash } = process.getBuiltinModule("node:crypto");
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const path = url.startsWith("file:") ? fileURLToPath(url) : url;
      const known = digests.get(path);
      if (known === undefined || !loaded.source || hash("sha256", loaded.source as string, "hex") === known)
        return loaded;
      throw new Problem("config-untrusted", `${path} changed while it was read, and is not run.`, "Look at it again.");
    },
  });
  return () => hooks.deregister();
}
