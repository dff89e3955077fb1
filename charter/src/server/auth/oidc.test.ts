import { describe, expect, test } from "vitest";
import type { Problem } from "../../prompt/problem.ts";
import { checkOidc, returnAddress, whoIs } from "./oidc.ts";
import { flowOf } from "./oidc-routes.ts";

const messageOf = (work: () => unknown) => {
  try {
    work();
    return "sound";
  } catch (error) {
    return (error as Problem).message;
  }
};

describe("the setting oidc", () => {
  const sound = { issuer: "https://id.example.com", clientId: "charter" };
  const people = [{ subject: "1", user: "bo" }];
  const settings: readonly [setting: unknown, told: string][] = [
    [sound, "sound"],
    [{ ...sound, issuer: "http://localhost:8080", clientSecret: "s", people, operators: ["2"] }, "sound"],
    ["https://id.example.com", "The setting “oidc” in the configuration is no object."],
    [
      { ...sound, issuer: "http://id.example.com" },
      "The setting “oidc.issuer” in the configuration is no https address.",
    ],
    [{ ...sound, issuer: undefined }, "The setting “oidc” in the configuration has no issuer."],
    [{ ...sound, clientId: " " }, "The setting “oidc.clientId” in the configuration is no text."],
    [{ ...sound, clientSecret: 1 }, "The setting “oidc.clientSecret” in the configuration is no text."],
    [{ ...sound, operators: "2" }, "The setting “oidc.operators” in the configuration is no list of texts."],
    [
      { ...sound, admins: ["2"] },
      "The configuration sets “oidc.admins”, which is not a setting. Those are issuer, clientId, clientSecret, people, operators, fetch.",
    ],
    [{ ...sound, people: [{ subject: "1" }] }, "The setting “oidc.people[0]” in the configuration has no user."],
    [
      { ...sound, people: [{ email: "bo@x.org", user: "bo" }] },
      "The setting “oidc.people[0]” in the configuration has no subject.",
    ],
    [
      { ...sound, people: [{ ...people[0], email: "b" }] },
      "The configuration sets “oidc.people[0].email”, which is not a setting. Those are subject, user, agent.",
    ],
    [{ ...sound, people: [{ subject: "1", user: "counterpart:x" }] }, '"counterpart:x" cannot be the name of a user.'],
    [
      { ...sound, people: [...people, { subject: "1", user: "cy" }] },
      "The setting “oidc.people” in the configuration has “1” twice.",
    ],
  ];
  test.each(settings)("%j", (setting, told) => {
    expect(messageOf(() => checkOidc(setting))).toBe(told);
  });
});

describe("a person", () => {
  const person = { issuer: "https://id.example.com", subject: "1" };
  const bound = (agent: string, user: string) => ({ ...person, agent, user, at: "2026-02-18T12:00:00.000Z" });
  const agents = ["ada", "eve"];

  test("is who the list says with an agent, else who it says with all, else who they are bound to", () => {
    const people = [
      { subject: "1", user: "all" },
      { subject: "1", user: "hers", agent: "ada" },
      { subject: "2", user: "another", agent: "eve" },
    ];
    expect(whoIs(person, { people, bound: [bound("eve", "bo")], agents })).toEqual([
      { agent: "ada", user: "hers" },
      { agent: "eve", user: "all" },
    ]);
    expect(whoIs(person, { people: people.slice(1), bound: [bound("eve", "bo")], agents })).toEqual([
      { agent: "ada", user: "hers" },
      { agent: "eve", user: "bo" },
    ]);
  });

  test("is nobody with an agent that is gone, or that nothing names", () => {
    expect(whoIs(person, { people: [], bound: [bound("gone", "bo")], agents })).toEqual([]);
    expect(whoIs(person, { people: [{ subject: "01", user: "bo" }], bound: [], agents })).toEqual([]);
  });
});

test("state, nonce and verifier come of one secret, and of no other", () => {
  const flow = flowOf("one");
  expect(flow).toEqual(flowOf("one"));
  expect(new Set([...Object.values(flow), ...Object.values(flowOf("two"))]).size).toBe(6);
  for (const part of Object.values(flow)) expect(part).toMatch(/^[\w-]{43}$/);
});

test("people come back to the address that was set, or to this machine; to nothing that others could mean", () => {
  const listensAt = () => "http://127.0.0.1:4747";
  expect(returnAddress({ url: "https://x.org/", isAlone: false, listensAt })()).toBe("https://x.org");
  expect(returnAddress({ url: undefined, isAlone: true, listensAt })()).toBe("http://127.0.0.1:4747");
  expect(messageOf(() => returnAddress({ url: undefined, isAlone: false, listensAt }))).toBe(
    "People sign in at an issuer, but the server's public address is not set: they come back to it.",
  );
});
