import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { listed, Problem } from "../../../prompt/problem.ts";
import { checkDays } from "../../../store/accounts/invitations.ts";
import type { Invitation, NewInvitation } from "../../../store/index.ts";
import type { Store } from "../../../store/store.ts";
import { timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { csvLine } from "../../shared/accounts/csv.ts";
import { onlyAgent } from "../../shared/accounts/only-agent.ts";
import { type PersonRow, readPeople } from "../../shared/accounts/people.ts";
import { addressHere } from "../../shared/config-keys.ts";
import { wholeNumber } from "../../shared/options.ts";
import { type StoreValues, withStore } from "../../shared/store.ts";

type Values = StoreValues & {
  readonly json?: boolean | undefined;
  readonly agent?: string | undefined;
  readonly days?: string | undefined;
  readonly again?: boolean | undefined;
  readonly url?: string | undefined;
  readonly out?: string | undefined;
};

/** A link for one user, or one for each person in a file. */
export async function invite(whom: string | undefined, values: Values): Promise<number> {
  if (whom === undefined)
    throw new Problem(
      "usage",
      "charter users invite needs a user, or a file of people.",
      "As in: charter users invite bo --agent ada, or charter users invite people.csv --out links.csv",
    );
  const days = wholeNumber("days", values.days);
  if (days !== undefined) checkDays(days);
  return withStore(values, async (store) => {
    const people = await peopleOf(store, whom, values.agent);
    const { invitationLink } = await import("../../../server/auth/sign-in-link.ts");
    const base = values.url ?? (await addressHere());
    const again = values.again === true;
    const out = values.out === undefined ? undefined : openNew(values.out);
    try {
      const wanted = people.map(({ email: _, ...one }) => one);
      const { made, already } = await store.invitations.create(wanted, { again, ...(days ? { days } : {}) });
      const told = made.map(({ secret, ...one }) => ({
        ...one,
        ...emailOf(one, people),
        url: invitationLink(base, secret),
      }));
      write(told, already, { whom, out, json: values.json === true });
      say(made, already, values.out);
      return made.length === 0 ? 1 : 0;
    } catch (error) {
      if (values.out !== undefined) rmSync(values.out, { force: true });
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

type Told = Invitation & { readonly email?: string; readonly url: string };

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

function say(made: readonly NewInvitation[], already: readonly Invitation[], out: string | undefined): void {
  const [first] = made;
  const where = out === undefined ? "" : ` The links are in ${out}.`;
  if (first)
    process.stderr.write(`${made.length} invited, each once, until ${timeText(first.expiresAt)} UTC.${where}\n`);
  if (already.length === 0) return;
  const names = listed(already.map(({ user }) => user));
  process.stderr.write(hintsHere(`Invited before, and left alone: ${names}. --again makes them new links.\n`));
}
