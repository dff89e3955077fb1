import { Problem } from "../../../prompt/problem.ts";

const { spawn } = process.getBuiltinModule("node:child_process");

type KeyCommandOptions = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
};

/** What password managers need to find themselves, their files and the user. Nothing else is handed on. */
const handedOn =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|GNUPGHOME|GPG_TTY|PASSWORD_STORE_DIR|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|SYSTEMROOT)$/i;
const longest = 1024;

/** What a command prints, run without a shell. What it says on standard error is not kept: it may be the key. */
export function runKeyCommand(
  name: string,
  [program = "", ...args]: readonly string[],
  { folder, env, timeoutMs = 10_000 }: KeyCommandOptions,
): Promise<string> {
  const failed = (why: string) =>
    new Problem(
      "key-missing",
      `The command for the key “${name}”, ${program}, ${why}.`,
      "Run it yourself, in the same folder: it has to print the key and nothing else.",
    );
  const handed = Object.fromEntries(Object.entries(env).filter(([variable]) => handedOn.test(variable)));
  return new Promise((resolve, reject) => {
    // A group of its own, so that whatever it started ends with it.
    const child = spawn(program, args, {
      cwd: folder,
      env: handed,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let printed = "";
    const giveUp = (why: string) => {
      endGroup(child.pid);
      child.stdout.destroy();
      reject(failed(why));
    };
    const timer = setTimeout(() => giveUp(`did not finish within ${timeoutMs / 1000} seconds`), timeoutMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.length > longest) giveUp("printed more than a key");
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(failed(`could not be run (${(error as { readonly code?: string }).code})`));
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(printed);
      else reject(failed(`failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
