import { counted, Problem, reasonOf } from "../../../prompt/problem.ts";

const { execFile } = process.getBuiltinModule("node:child_process");
const { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } = process.getBuiltinModule("node:fs");
const { tmpdir } = process.getBuiltinModule("node:os");
const { dirname, join, relative, resolve } = process.getBuiltinModule("node:path");

/** A commit's files, in a directory that is there as long as they are needed. */
export type BaseTree = {
  readonly name: string;
  readonly commit: string;
  /** Where the directory that the command runs in is in that tree. */
  readonly directory: string;
};

/** Most files of a commit that are written out. */
const maxFiles = 50_000;

/**
 * Writes the files of a commit beside the work tree, does the work, and removes them. Neither the work tree nor its index is
 * touched, and no hook runs. With `main`, the commit is where the branch left it, so that what came into it since counts as nobody's
 * change here.
 */
export async function withBase<Result>(name: string, work: (base: BaseTree) => Promise<Result>): Promise<Result> {
  const [top = "", prefix = ""] = (await git(["rev-parse", "--show-toplevel", "--show-prefix"])).split("\n");
  const named = await commitNamed(name);
  const commit = (await git(["merge-base", named, "HEAD"]).catch(() => named)).trim();
  const files = (await git(["ls-tree", "-r", "--name-only", "-z", "--full-tree", commit])).split("\0").length - 1;
  if (files > maxFiles)
    throw new Problem(
      "base-unreadable",
      `The commit ${shortCommit(commit)} has ${counted(files, "file")}, more than the ${maxFiles} that are written out.`,
      "Check without --base.",
    );
  const place = mkdtempSync(join(tmpdir(), "charter-base-"));
  try {
    const tree = join(place, "tree");
    const env = { ...process.env, GIT_INDEX_FILE: join(place, "index") };
    mkdirSync(tree);
    await git(["read-tree", commit], { env, cwd: top });
    await git(["checkout-index", "--all", "--quiet", `--prefix=${tree}/`], { env, cwd: top });
    const directory = join(tree, prefix);
    lendPackages(top, tree, directory);
    return await work({ name, commit, directory });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function shortCommit(commit: string): string {
  return commit.slice(0, 8);
}

async function commitNamed(name: string): Promise<string> {
  try {
    return (await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])).trim();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(
      "base-unreadable",
      `There is no commit “${name}” here.`,
      "Fetch it first; in CI let the checkout fetch all of the history (fetch-depth: 0), and name it as in origin/main.",
    );
  }
}

/** Links the packages that are installed for the work tree, since the code of the base imports them too. */
function lendPackages(top: string, tree: string, directory: string): void {
  for (let inner = directory; ; inner = dirname(inner)) {
    const installed = join(resolve(top, relative(tree, inner)), "node_modules");
    const link = join(inner, "node_modules");
    if (existsSync(installed) && existsSync(inner) && !existsSync(link)) symlinkSync(installed, link, "junction");
    if (inner === tree) return;
  }
}

type GitOptions = { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string };

/** Runs git and returns what it printed; rejects with its own words if it fails. */
function git(args: readonly string[], { env = process.env, cwd = "." }: GitOptions = {}): Promise<string> {
  const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"];
  return new Promise((resolved, reject) => {
    execFile("git", [...quiet, ...args], { env, cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolved(stdout);
      else if ((error as NodeJS.ErrnoException).code === "ENOENT")
        reject(new Problem("base-unreadable", "--base needs git, which is not installed.", "Install it."));
      else if (/not a git repository/i.test(stderr))
        reject(
          new Problem("base-unreadable", "--base needs a git repository, and this is none.", "Check without --base."),
        );
      else reject(new Error(stderr.trim() || reasonOf(error)));
    });
  });
}
