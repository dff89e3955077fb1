import { SignJWT } from "jose";
import type { FakeTelegram } from "../../telegram/fake.ts";
import type { Ask, Service } from "../opened.ts";
import { canary } from "./canary.ts";

/** Someone whose every word can be told from others'. Even their name is such a word. */
export type Person = {
  readonly key: string;
  readonly id: string;
  readonly chat: number;
  readonly ask: Ask;
  /** With a JSON Web Token instead of one of ours. */
  readonly askSigned: Ask;
  /** With a token that is over, one way or the other. */
  readonly askLate: readonly Ask[];
  /** A program that acts for the agent, for them. */
  readonly program: (agent: string) => Ask;
};

export const jwtSecret = "a secret of 32 bytes, for canaries.";

export async function newPerson(
  { as, token }: Service,
  telegram: FakeTelegram,
  { key, chat }: Pick<Person, "key" | "chat">,
): Promise<Person> {
  const id = canary(key, "u", "id");
  const ask = as(await token({ kind: "user", user: id }));
  const { body } = await ask("POST /api/agents/ada/links", { channel: "telegram" });
  telegram.says(chat, `/start ${body.code}`);
  const programs = new Map<string, Ask>();
  for (const agent of ["ada", "eve"]) programs.set(agent, as(await token({ kind: "agent", agent, user: id })));
  const over = await token({ kind: "user", user: id, expiresAt: "2026-01-01T00:00:00Z" });
  return {
    ...{ key, id, chat, ask },
    // Whoever waits for what is due moves the clock, by hours in a long search: it outlasts that.
    askSigned: as(await signed(id, "30d")),
    askLate: [as(over), as(await signed(id, "-1h")), as(undefined), as(`charter_${canary(key, "u", "guess")}`)],
    program: (agent) => programs.get(agent) as Ask,
  };
}

function signed(id: string, until: string): Promise<string> {
  return new SignJWT({ note: id })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(id)
    .setExpirationTime(until)
    .sign(new TextEncoder().encode(jwtSecret));
}
