import { join } from "node:path";
import { fetchedPackage, root, type Wanted } from "./fetched-package.ts";

/** The Nodes that people have: too old to run the command itself, the oldest that can, and the one this house brings. */
export const nodes = ["20", "22", "24"] as const;
export type NodeName = (typeof nodes)[number];

const name = `node-linux-${process.arch}`;
const wanted: Readonly<Record<string, Omit<Wanted, "name">>> = {
  "20-x64": {
    version: "20.20.2",
    integrity: "PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
  },
  "20-arm64": {
    version: "20.20.2",
    integrity: "LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==",
  },
  "22-x64": {
    version: "22.18.0",
    integrity: "ZPIlJmsQkDY/Q+VeDIuNTphYIPHYwV4T2lF7lfkmW0gFFkohycbGQYm25yhJ/Gz42eFD2wF5zwAzs9yPRAwbhg==",
  },
  "22-arm64": {
    version: "22.18.0",
    integrity: "G2s2MDAFBM2p2SCpdKDu74PpThBwzsrA9tWMn6eVfYy+k0jYhh7MIC6gK3liNC2jLCfMayrqswNwbTsrboaTVg==",
  },
};

type Found = string | { readonly absent: string };
const found = new Map<NodeName, Promise<Found>>();

/** The folder with `node` in it, or why it cannot be had. */
export function nodeFolder(which: NodeName): Promise<Found> {
  const one = found.get(which) ?? findFolder(which);
  found.set(which, one);
  return one;
}

async function findFolder(which: NodeName): Promise<Found> {
  if (which === "24") return join(root, "node_modules", name, "bin");
  const one = wanted[`${which}-${process.arch}`];
  if (process.platform !== "linux" || !one) return { absent: `There is no ${name} in version ${which}.` };
  try {
    return join(await fetchedPackage({ name, ...one }), "bin");
  } catch (error) {
    return { absent: `${name}@${one.version} cannot be had: ${(error as Error).message}` };
  }
}
