import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** A package of the npm registry, pinned by what it is called, its version and the SHA-512 of its archive. */
export type Package = { readonly name: string; readonly version: string; readonly sha512: string };

/** The files of a package by their path in it. Fetched once, into `folder`; another archive than the pinned is refused. */
export function packageFiles(pinned: Package, folder: string): ReadonlyMap<string, string> {
  const { name, version, sha512 } = pinned;
  const archive = join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  if (!existsSync(archive)) {
    mkdirSync(folder, { recursive: true });
    const fetched = execFileSync("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", folder], {
      encoding: "utf8",
    }).trim();
    const packed = join(folder, fetched.split("\n").at(-1) ?? "");
    if (packed !== archive) renameSync(packed, archive);
  }
  const bytes = readFileSync(archive);
  const found = createHash("sha512").update(bytes).digest("base64");
  if (found !== sha512) throw new Error(`${archive} is not the pinned ${name}@${version}: its SHA-512 is ${found}`);
  return filesOf(gunzipSync(bytes));
}

/** The files of a tar archive. Names longer than its header holds come in a prefix or an entry of their own. */
function filesOf(tar: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  let longName: string | undefined;
  for (let at = 0; at + 512 <= tar.length; ) {
    const field = (from: number, length: number): string =>
      tar.toString("utf8", at + from, at + from + length).replace(/\0.*$/su, "");
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    const type = field(156, 1);
    const prefix = field(345, 155);
    const content = tar.subarray(at + 512, at + 512 + size);
    if (type === "x" || type === "L") {
      const text = content.toString("utf8").replace(/\0+$/u, "");
      longName = type === "L" ? text : /\d+ path=([^\n]*)\n/u.exec(text)?.[1];
    } else {
      const name = longName ?? (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`);
      if (type === "0" || type === "") files.set(name.replace(/^[^/]*\//u, ""), content.toString("utf8"));
      longName = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
