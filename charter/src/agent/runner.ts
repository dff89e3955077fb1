/** Which process runs a turn: on this machine it can be asked whether it still lives. */
export function runnerName(): string {
  const { hostname } = process.getBuiltinModule("node:os");
  const started = lifeOf(process.pid)?.started;
  const world = started === undefined ? undefined : worldOf();
  return [hostname(), process.pid, started, world].filter((part) => part !== undefined).join(":");
}

/**
 * Certainly gone: a process of this machine that is not there any more, or whose number another has by now (in a
 * container it is often the same one after every start). Others are given until their lease ends: so are those of other
 * containers, which may have this one's host name, and number their processes as they like.
 */
export function isRunnerGone(runner: string): boolean {
  const { hostname } = process.getBuiltinModule("node:os");
  const [, host, pid, started, world] = /^([^:]*):(\d+)(?::(\d+)(?::(\d+))?)?$/.exec(runner) ?? [];
  if (host !== hostname() || pid === undefined) return false;
  if (world !== undefined && world !== worldOf()) return false;
  const life = lifeOf(Number(pid));
  if (life) return life.ended || (started !== undefined && started !== life.started);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

type Life = { readonly started: string; readonly ended: boolean };

/** When a process was started, and whether it only waits for its parent to notice its end. Only Linux says so. */
function lifeOf(pid: number): Life | undefined {
  try {
    const stat = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, started] = [fields[0], fields[19]];
    return started === undefined ? undefined : { started, ended: state === "Z" || state === "X" };
  } catch {
    return undefined;
  }
}

/** Those among whom a process's number means something: Linux counts processes anew in every container. */
function worldOf(): string | undefined {
  try {
    return /\d+/.exec(process.getBuiltinModule("node:fs").readlinkSync("/proc/self/ns/pid"))?.[0];
  } catch {
    return undefined;
  }
}
