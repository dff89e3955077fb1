/**
 * Words that say whose they are: `canary-<person>-<agent>-…`. Wherever one turns up, it can be seen whether it may.
 * The agent is its first letter; `u` is what a person is known by everywhere.
 */
export function canary(person: string, agent: string, what: string | number): string {
  return `canary-${person}-${agent.slice(0, 1)}-${what}`;
}

export type Mark = { readonly person: string; readonly agent: string };

/** Whose words are in a text: each once. */
export function marksIn(text: string): Mark[] {
  const found = new Set([...text.matchAll(/canary-([a-z]{8})-([a-z])-/gi)].map(([, one, two]) => `${one} ${two}`));
  return [...found].map((one) => {
    const [person = "", agent = ""] = one.toLowerCase().split(" ");
    return { person, agent };
  });
}

/** Looks at everything that leaves Charter or stays in it, and keeps what should not have been there. */
export type Watch = {
  readonly faults: string[];
  /** A text somewhere: whose words may be in it, if anyone's. */
  readonly look: (where: string, text: string, may?: Partial<Mark>) => void;
  readonly fault: (what: string) => void;
};

const maxFaults = 50;

export function createWatch(): Watch {
  const faults: string[] = [];
  const fault = (what: string) => {
    // The same one again hides no other.
    if (faults.length < maxFaults && !faults.includes(what)) faults.push(what);
  };
  return {
    faults,
    fault,
    look: (where, text, may) => {
      for (const { person, agent } of marksIn(text)) {
        const own = may !== undefined && (may.person ?? person) === person;
        const here = may?.agent === undefined || agent === "u" || may.agent.startsWith(agent);
        if (!own || !here) fault(`${where} has words of ${person} with ${agent}: ${excerpt(text, person, agent)}`);
      }
    },
  };
}

function excerpt(text: string, person: string, agent: string): string {
  const at = text.toLowerCase().indexOf(`canary-${person}-${agent}-`);
  return `…${text.slice(Math.max(0, at - 80), at + 60)}…`;
}

/** The same numbers every time: what is found once can be found again. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}
