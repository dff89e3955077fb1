import { loadPackage } from "../../packages/load-package.ts";
import type { Curve } from "./signature.ts";

const purpose = { purpose: "Checking signed messages" };

/** The curve and the hash of Ethereum. */
export async function loadCurve(): Promise<Curve> {
  const [{ secp256k1 }, { keccak_256 }] = await Promise.all([
    loadPackage("@noble/curves/secp256k1.js", purpose),
    loadPackage("@noble/hashes/sha3.js", purpose),
  ]);
  return {
    keccak: keccak_256,
    recover: ({ r, s, recovery }, hash) =>
      new secp256k1.Signature(r, s, recovery).recoverPublicKey(hash).toBytes(false),
  };
}
