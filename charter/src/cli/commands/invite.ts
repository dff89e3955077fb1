import { timeText } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { inviteAll } from "../../operations/users/invitations.ts";
import { onlyAgent } from "../../operations/users/only-agent.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Invitation } from "../../store/accounts/invitations.ts";
import type { Store } from "../../store/store.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { asOperator } from "../command/perform.ts";
import { csvLine } from "../shared/accounts/csv.ts";
import { type PersonRow, readPeople } from "../shared/accounts/people.ts";

const { closeSync, openSync, readFileSync, rmSync, writeSync } = process.getBuiltinModule("node:fs");

type InviteInput = {
  readonly whom: string;
  readonly agent?: string;
  readonly days?: number;
  readonly again?: boolean;
  readonly url?: string;
  readonly out?: string;
};

/** A link for one user, or one for each person in a file. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const { whom, agent, out: file, ...about } = input as InviteInput;
  return asOperator({ database }, async (context) => {
    const people = await peopleOf(context.store, whom, agent);
    const out = file === undefined ? undefined : openNew(file);
    try {
      const wanted = people.map(({ email: _, ...one }) => one);
      const { invitations, already } = await inviteAll(context, wanted, about);
      const told = invitations.map((one) => ({ ...one, ...emailOf(one, people) }));
      write(told, already, { whom, out, json });
      say(told, already, file);
      return told.length === 0 ? 1 : 0;
    } catch (error) {
      if (file !== undefined) rmSync(file, { force: true });
      throw error;
    } finally {
      if (out !== undefined) closeSync(out);
    }
  });
}

async function peopleOf(store: Store, whom: string, agent: string | undefined): Promise<PersonRow[]> {
  if (!/\.csv$/i.test(whom)) return [{ user: whom, agent: await onlyAgent(store, agent) }];
  if (agent !== undefined) await store.agents.get(agent);
  const agents = (await store.agents.list()).map(({ name }) => name);
  return readPeople(readText(whom), {
    file: whom,
    agents,
    agent: agent ?? (agents.length === 1 ? agents[0] : undefined),
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const because = (error as NodeJS.ErrnoException).code;
    throw new Problem("usage", `${file} cannot be read (${because}).`, "Give a file that is there, as in people.csv.");
  }
}

/** What signs people in is for the operator's eyes alone, and a list of links that were sent is not written over. */
function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const because = (error as NodeJS.ErrnoException).code;
    throw new Problem(
      "usage",
      `${file} cannot be made (${because}).`,
      "Give the name of a file that is not there yet.",
    );
  }
}

function emailOf({ user, agent }: Invitation, people: readonly PersonRow[]): { readonly email?: string } {
  const email = people.find((one) => one.user === user && one.agent === agent)?.email;
  return email === undefined ? {} : { email };
}

type Told = Invitation & { readonly email?: string | undefined; readonly url: string };

function write(
  told: readonly Told[],
  already: readonly Invitation[],
  about: { readonly whom: string; readonly out: number | undefined; readonly json: boolean },
): void {
  const isOne = told.length === 1 && told[0]?.user === about.whom;
  const rows = told.map(({ user, agent, email = "", url, expiresAt }) => [user, agent, email, url, expiresAt]);
  const table = [["user", "agent", "email", "link", "expires"], ...rows].map((row) => `${csvLine(row)}\n`).join("");
  if (about.out !== undefined) writeSync(about.out, table);
  if (about.json) process.stdout.write(`${JSON.stringify({ invitations: told, already })}\n`);
  else if (about.out === undefined && told.length > 0) process.stdout.write(isOne ? `${told[0]?.url}\n` : table);
}

function say(made: readonly Invitation[], already: readonly Invitation[], out: string | undefined): void {
  const [first] = made;
  const where = out === undefined ? "" : ` The links are in ${out}.`;
  if (first)
    process.stderr.write(`${made.length} invited, each once, until ${timeText(first.expiresAt)} UTC.${where}\n`);
  if (already.length === 0) return;
  const names = listed(already.map(({ user }) => user));
  process.stderr.write(hintsHere(`Invited before, and left alone: ${names}. --again makes them new links.\n`));
}
