// Both packages as files that npm installs: charter-0.1.0.tgz and charter-service-0.1.0.tgz.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const usage = `npm run pack [-- --pack-destination <folder>]

  Makes charter-<version>.tgz and charter-service-<version>.tgz, here or in the folder. Someone installs them with
  npm install ./charter-<version>.tgz, and for charter start ./charter-service-<version>.tgz besides.
`;

const root = resolve(import.meta.dirname, "..");
const options = {
  "pack-destination": { type: "string", default: "." },
  help: { type: "boolean", short: "h" },
} as const;

/** What npm says of a file it has packed. */
type Packed = {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
};

function given() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

function pack(folder: string, destination: string): Packed {
  const args = ["pack", "--json", "--pack-destination", destination];
  const { status, stdout } = spawnSync("npm", args, {
    cwd: resolve(root, folder),
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  // Whatever the scripts said before it, the list is last.
  const told = JSON.parse(stdout.slice(stdout.search(/^[[{]\s*$/m))) as readonly Packed[] | Record<string, Packed>;
  return Object.values(told)[0] as Packed;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const values = given();
if (values.help) process.stdout.write(usage);
else {
  const destination = resolve(process.env.INIT_CWD ?? root, values["pack-destination"]);
  for (const folder of ["charter", "service"]) {
    const { filename, size, unpackedSize, entryCount } = pack(folder, destination);
    process.stdout.write(
      `${resolve(destination, filename)}: ${megabytes(size)}, unpacked ${megabytes(unpackedSize)} in ${entryCount} files\n`,
    );
  }
}
