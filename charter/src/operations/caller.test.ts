import { expect, test } from "vitest";
import type { Scope } from "../amend/amendment.ts";
import type { PlacedSection } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import {
  type Caller,
  checkChannel,
  checkOperator,
  checkPerson,
  checkPoster,
  type Person,
  reachFor,
  scopeFor,
  sees,
  seesSection,
  selfFor,
  toolScopeFor,
} from "./caller.ts";

const callers: Readonly<Record<string, Caller>> = {
  operator: { kind: "operator", id: "t", by: "token" },
  user: { kind: "user", id: "t", by: "jwt", user: "ada" },
  "user of one agent": { kind: "user", id: "t", by: "chat-cookie", user: "ada", agent: "ann" },
  agent: { kind: "agent", id: "t", by: "token", agent: "ann" },
  "agent for one user": { kind: "agent", id: "t", by: "token", agent: "ann", user: "ada" },
  inbox: { kind: "inbox", id: "t", by: "token", agent: "ann", name: "shop" },
  signer: { kind: "signer", id: "t", by: "signature", agent: "ann", address: "0xab" },
};

/** What a question comes to, in a line: the value as JSON, or the Problem's code with what it names. */
function said(answer: () => unknown): string {
  try {
    return JSON.stringify(answer()) ?? "yes";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === "not-found" ? error.message.slice(12, -6) : error.code;
  }
}

/** One question put to every caller, about each thing. */
const table = (about: Readonly<Record<string, (caller: Caller) => unknown>>) =>
  Object.fromEntries(
    Object.entries(callers).map(([name, caller]) => [
      name,
      Object.entries(about).map(([what, ask]) => `${what}: ${said(() => ask(caller))}`),
    ]),
  );

const scopes = {
  ann: { agent: "ann" },
  "ann/ada": { agent: "ann", user: "ada" },
  "ann/bob": { agent: "ann", user: "bob" },
  "bea/ada": { agent: "bea", user: "ada" },
} satisfies Record<string, Scope>;
const each = <Value>(ask: (caller: Caller, scope: Scope) => Value) =>
  table(Object.fromEntries(Object.entries(scopes).map(([name, scope]) => [name, (caller) => ask(caller, scope)])));

test("whose copy a request is about: anyone's to an operator, their own to a user, nobody's to others", () => {
  const none = ["ann: not-allowed", "ann/ada: not-allowed", "ann/bob: not-allowed", "bea/ada: not-allowed"];
  expect(each((caller, { agent, user }) => scopeFor(caller, agent, user))).toEqual({
    operator: [
      'ann: {"agent":"ann"}',
      'ann/ada: {"agent":"ann","user":"ada"}',
      'ann/bob: {"agent":"ann","user":"bob"}',
      'bea/ada: {"agent":"bea","user":"ada"}',
    ],
    user: [
      'ann: {"agent":"ann","user":"ada"}',
      'ann/ada: {"agent":"ann","user":"ada"}',
      "ann/bob: user “bob”",
      'bea/ada: {"agent":"bea","user":"ada"}',
    ],
    "user of one agent": [
      'ann: {"agent":"ann","user":"ada"}',
      'ann/ada: {"agent":"ann","user":"ada"}',
      "ann/bob: user “bob”",
      "bea/ada: agent “bea”",
    ],
    agent: none,
    "agent for one user": none,
    inbox: none,
    signer: none,
  });
});

test("whose tools are called: those of the agent whose token it is, for the user it names", () => {
  const none = ["ann: not-allowed", "ann/ada: not-allowed", "ann/bob: not-allowed", "bea/ada: not-allowed"];
  expect(each((caller, { agent, user }) => toolScopeFor(caller, agent, user))).toEqual({
    operator: [
      'ann: {"agent":"ann"}',
      'ann/ada: {"agent":"ann","user":"ada"}',
      'ann/bob: {"agent":"ann","user":"bob"}',
      'bea/ada: {"agent":"bea","user":"ada"}',
    ],
    user: none,
    "user of one agent": none,
    agent: ['ann: {"agent":"ann"}', "ann/ada: user “ada”", "ann/bob: user “bob”", "bea/ada: agent “bea”"],
    "agent for one user": [
      'ann: {"agent":"ann","user":"ada"}',
      'ann/ada: {"agent":"ann","user":"ada"}',
      "ann/bob: user “bob”",
      "bea/ada: agent “bea”",
    ],
    inbox: none,
    signer: none,
  });
});

test("what lists reach that go over all agents", () => {
  const about = table({
    all: (caller) => reachFor(caller, {}),
    "bob's": (caller) => reachFor(caller, { user: "bob" }),
    "bea's": (caller) => reachFor(caller, { agent: "bea" }),
  });
  const none = ["all: not-allowed", "bob's: not-allowed", "bea's: not-allowed"];
  expect(about).toEqual({
    operator: ["all: {}", 'bob\'s: {"user":"bob"}', 'bea\'s: {"agent":"bea"}'],
    user: ['all: {"user":"ada"}', "bob's: user “bob”", 'bea\'s: {"agent":"bea","user":"ada"}'],
    "user of one agent": ['all: {"agent":"ann","user":"ada"}', "bob's: user “bob”", "bea's: agent “bea”"],
    agent: none,
    "agent for one user": none,
    inbox: none,
    signer: none,
  });
});

const placed = (scope: "agent" | "user"): PlacedSection => ({
  section: { name: scope },
  layer: { name: scope, mutability: { amendableBy: ["user"], scope }, sections: [] },
  fallback: false,
});

test("what is there for a person, who they are as a user, and which sections they see", () => {
  const people = Object.entries(callers).filter((one): one is [string, Person] => {
    const { kind } = one[1];
    return kind === "operator" || kind === "user";
  });
  expect(
    people.map(([name, caller]) => ({
      name,
      sees: Object.entries(scopes).flatMap(([scope, of]) => (sees(caller, of) ? [scope] : [])),
      self: selfFor(caller, "the-operator"),
      sections: (["agent", "user"] as const).filter((scope) => seesSection(caller, placed(scope))),
    })),
  ).toEqual([
    {
      name: "operator",
      sees: ["ann", "ann/ada", "ann/bob", "bea/ada"],
      self: { user: "the-operator" },
      sections: ["agent", "user"],
    },
    {
      name: "user",
      sees: ["ann/ada", "bea/ada"],
      self: { user: "ada" },
      sections: ["user"],
    },
    {
      name: "user of one agent",
      sees: ["ann/ada"],
      self: { user: "ada", agent: "ann" },
      sections: ["user"],
    },
  ]);
});

test("what only operators, people or posters may do, and by which channels", () => {
  const about = table({
    operator: (caller) => checkOperator(caller, "this"),
    person: (caller) => checkPerson(caller, "this"),
    "post to ann": (caller) => checkPoster(caller, "ann", "this"),
    "post to bea": (caller) => checkPoster(caller, "bea", "this"),
    web: (caller) => checkChannel(caller, "web"),
    automaton: (caller) => checkChannel(caller, "automaton"),
  });
  const no = "not-allowed";
  const user = [`operator: ${no}`, "person: yes", `post to ann: ${no}`, `post to bea: ${no}`, "web: yes"];
  const agent = [`operator: ${no}`, `person: ${no}`, `post to ann: ${no}`, `post to bea: ${no}`, "web: yes"];
  const poster = [`operator: ${no}`, `person: ${no}`, "post to ann: yes", "post to bea: agent “bea”", "web: yes"];
  expect(about).toEqual({
    operator: ["operator: yes", "person: yes", "post to ann: yes", "post to bea: yes", "web: yes", "automaton: yes"],
    user: [...user, `automaton: ${no}`],
    "user of one agent": [...user, `automaton: ${no}`],
    agent: [...agent, `automaton: ${no}`],
    "agent for one user": [...agent, `automaton: ${no}`],
    inbox: [...poster, `automaton: ${no}`],
    signer: [...poster, `automaton: ${no}`],
  });
});
