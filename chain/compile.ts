// The contract's artifact, made of its source: `npm run contract`. The bytecode has no metadata in it, so it depends on the
// source and the compiler alone.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { installChain } from "./install.ts";

const root = resolve(import.meta.dirname, "..");
const artifactFile = join(root, "charter/src/channels/chain/inbox-contract.json");

const compilerSettings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: "none" },
};

type Compiled = { readonly abi: unknown; readonly evm: { readonly bytecode: { readonly object: string } } };
type Output = {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
};

/** What a source compiles to, warnings being errors. */
export async function compile(source: string, name: string) {
  await installChain((words) => process.stderr.write(words));
  const solc = createRequire(import.meta.url)("solc") as { version(): string; compile(input: string): string };
  const input = {
    language: "Solidity",
    sources: { [name]: { content: source } },
    settings: { ...compilerSettings, outputSelection: { [name]: { [name]: ["abi", "evm.bytecode.object"] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  if (output.errors?.length) throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"));
  const made = output.contracts?.[name]?.[name] as Compiled;
  return {
    abi: made.abi,
    bytecode: `0x${made.evm.bytecode.object}`,
    compiler: solc.version().split("+")[0] as string,
    settings: compilerSettings,
  };
}

/** The contract as its source stands now. */
export function compileInbox() {
  return compile(readFileSync(join(root, "charter/contracts/Inbox.sol"), "utf8"), "Inbox");
}

if (import.meta.main) writeFileSync(artifactFile, `${JSON.stringify(await compileInbox(), null, 2)}\n`);
