import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bareEnvironment, command, createFolder } from "../../../charter/test/cli.ts";

/** `charter start` as a process of its own, in a folder where nothing was before. */
export type Started = {
  /** The link it printed. */
  readonly link: string;
  readonly url: string;
  readonly agents: readonly string[];
  /** The command's first file, and the folder it was started in. */
  readonly command: string;
  readonly folder: string;
  /** Ends it as Ctrl-C does, and gives the code it ended with. */
  readonly stop: () => Promise<number>;
};

export async function startCharter(): Promise<Started> {
  const folder = createFolder();
  const child = spawn(process.execPath, [command, "start", "--no-open", "--port", "0", "--json"], {
    cwd: folder.path,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit") as Promise<[number]>;
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    command,
    folder: folder.path,
    ...(JSON.parse(line) as Pick<Started, "link" | "url" | "agents">),
    stop: async () => {
      child.kill("SIGINT");
      const [code] = await ended;
      folder.remove();
      return code;
    },
  };
}
