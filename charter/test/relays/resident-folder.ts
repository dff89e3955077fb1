import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, charterMeanwhile, createFolder, type Folder } from "../cli.ts";
import { newAgent } from "./agent.ts";

export type Ran = Omit<Answer, "json">;

/** A folder in which a resident “ada” is set up, with a key of its own in a file, and a home where the folder is trusted. */
export type ResidentFolder = Awaited<ReturnType<typeof newAgent>> & {
  readonly folder: Folder;
  /** Runs `charter …` there, while this process and its relays go on. */
  readonly run: (args: readonly string[], stdin?: string) => Promise<Ran>;
  /** The secret key, in every form it is written in. */
  readonly secrets: readonly string[];
  readonly remove: () => void;
};

export async function newResidentFolder(
  relays: readonly string[],
  { settings = {} }: { settings?: Readonly<Record<string, unknown>> } = {},
): Promise<ResidentFolder> {
  const agent = await newAgent();
  const home = createFolder();
  const folder = createFolder({
    "settings.json": JSON.stringify({ ...settings, memory: { relays, owner: agent.owner, key: "ada" } }),
    "charter.config.ts": 'export default { keys: { ada: { file: "ada.key" } } };\n',
  });
  writeFileSync(join(folder.path, "ada.key"), `${agent.nsec}\n`);
  chmodSync(join(folder.path, "ada.key"), 0o600);
  const env = { HOME: home.path, NO_COLOR: "1" };
  const run: ResidentFolder["run"] = (args, stdin = "") => charterMeanwhile(args, { cwd: folder.path, stdin, env });
  await run(["agents", "add", "ada", "--charter", "resident", "--settings", "settings.json"]);
  await run(["trust"]);
  const remove = () => {
    folder.remove();
    home.remove();
  };
  return { ...agent, folder, run, remove, secrets: secretsOf(agent.nsec, await import("nostr-tools/nip19")) };
}

function secretsOf(nsec: string, { decode }: typeof import("nostr-tools/nip19")): string[] {
  const { data } = decode(nsec) as { data: Uint8Array };
  const bytes = Buffer.from(data);
  return [
    nsec,
    nsec.slice(5, 30),
    bytes.toString("hex"),
    bytes.toString("base64"),
    [...bytes.subarray(0, 6)].join(","),
  ];
}
