import { join } from "node:path";
import { fetchedPackage } from "./fetched-package.ts";

const version = "1.4.4";
/** The build for older processors runs on all of them. */
const wanted: Readonly<Record<string, { readonly name: string; readonly integrity: string }>> = {
  x64: {
    name: "@oven/bun-linux-x64-baseline",
    integrity: "FBU6T21NT+i+rESbi0Z8A8G5xN51c+WZ0v6pIjI6szSzOlqVNv64nf7FPnwNIyxKD1M7Wg5cEobLC/QbzCeLtA==",
  },
  arm64: {
    name: "@oven/bun-linux-aarch64",
    integrity: "ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==",
  },
};

/** The file to run, or why it cannot be had. */
export async function bunFile(): Promise<string | { readonly absent: string }> {
  const one = process.platform === "linux" ? wanted[process.arch] : undefined;
  if (!one) return { absent: `There is no Bun to fetch for ${process.platform} on ${process.arch}.` };
  try {
    return join(await fetchedPackage({ ...one, version }), "bin/bun");
  } catch (error) {
    return { absent: `Bun ${version} cannot be had: ${(error as Error).message}` };
  }
}
