import { expect, test } from "vitest";
import { createHostCheck, hostNamesFor } from "./this-server.ts";

function answers(hosts: Parameters<typeof createHostCheck>[0], url: string, header: string | null = null): boolean {
  try {
    createHostCheck(hosts)(url, header);
    return true;
  } catch {
    return false;
  }
}

const own = hostNamesFor({ hostname: "127.0.0.1", url: "https://charter.example.org" });
const rows: [what: string, url: string, header: string | null, answered: boolean][] = [
  ["localhost", "http://localhost:4747/", "localhost:4747", true],
  ["its number", "http://127.0.0.1:4747/x", "127.0.0.1:4747", true],
  ["its number in IPv6", "http://[::1]:4747/", "[::1]:4747", true],
  ["the name others reach it by", "http://charter.example.org/", "charter.example.org", true],
  ["capitals", "http://localhost/", "LOCALHOST", true],
  ["a dot at the end", "http://localhost./", "localhost.", true],
  ["a name that leads here by a trick", "http://rebound.evil.example:4747/", "rebound.evil.example:4747", false],
  ["a name that only begins like ours", "http://localhost.evil.example/", "localhost.evil.example", false],
  ["a name that only ends like ours", "http://evil-localhost/", "evil-localhost", false],
  ["ours in the address, another in the header", "http://localhost/", "evil.example", false],
  ["another in the address, ours in the header", "http://evil.example/", "localhost", false],
  ["someone before the @", "http://localhost@evil.example/", null, false],
];
for (const [what, url, header, answered] of rows)
  test(`a server of this machine ${answered ? "answers to" : "does not answer to"} ${what}`, () => {
    expect(answers(own, url, header)).toBe(answered);
  });

test("names follow from where it listens", () => {
  expect(hostNamesFor({ hostname: "127.0.0.1" })).toEqual(["localhost", "127.0.0.1", "[::1]", "127.0.0.1"]);
  expect(hostNamesFor({ hostname: "::1" })).toEqual(["localhost", "127.0.0.1", "[::1]", "[::1]"]);
  expect(hostNamesFor({ hostname: "127.0.1.1" })).toEqual(["localhost", "127.0.0.1", "[::1]", "127.0.1.1"]);
  expect(hostNamesFor({ hostname: "0.0.0.0" })).toBe("any");
  const named = { hostname: "0.0.0.0", url: "https://charter.example.org", hosts: ["charter"] };
  expect(hostNamesFor(named)).toEqual(["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "charter.example.org", "charter"]);
  expect(hostNamesFor({ ...named, hosts: "any" })).toBe("any");
});

test("one that answers to any name does", () => {
  expect(answers("any", "http://whatever.example/", "whatever.example")).toBe(true);
});
