import { Check, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Icon } from "../../../../kit/icon.tsx";

type Found = "looking" | "same" | "differs" | "told";

/**
 * The server rebuilt these words from the receipt and compared their digest; this browser digests them once more, where
 * it can (only on a safe connection).
 */
export function Proof({ text, digest }: { readonly text: string; readonly digest: string }) {
  const [found, setFound] = useState<Found>("looking");
  useEffect(() => {
    let current = true;
    setFound("looking");
    sha256(text).then(
      (own) => current && setFound(own === undefined ? "told" : own === digest ? "same" : "differs"),
      () => current && setFound("told"),
    );
    return () => {
      current = false;
    };
  }, [text, digest]);
  const says = {
    looking: "proving…",
    same: "proved by its digest",
    told: "proved by the server",
    differs: "this text does not have the digest of the receipt",
  }[found];
  return (
    <span className={`min-w-0 text-xs ${found === "differs" ? "text-bad" : "text-good"}`} title={`SHA-256 ${digest}`}>
      <Icon of={found === "differs" ? X : Check} className="inline size-3.5" /> {says}{" "}
      <code className="text-soft">{digest.slice(0, 12)}…</code>
    </span>
  );
}

async function sha256(text: string): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const found = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(found), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
