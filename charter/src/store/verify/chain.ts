import type { StoreFault } from "./faults.ts";

/** One row of a chain: its number, the digest it was written after, its own. `sound`: it is what its digest says. */
type ChainLink = {
  readonly number: number;
  readonly previous: string;
  readonly digest: string;
  readonly sound: boolean;
};

/** The row that says where a chain ends. */
type ChainHead = { readonly number: number; readonly digest: string };

type ChainReport = {
  readonly link: (what: StoreFault["what"], because: string, from: number, to?: number) => void;
  readonly head: (what: StoreFault["what"], because: string) => void;
};

export type Chain = { readonly next: (link: ChainLink) => void; readonly end: () => void };

/**
 * Walks one chain from its first row to its head: none missing, each written after the one before, the last the one
 * the head names. A row that is not sound is the caller's to report; here it is only not believed.
 *
 * Where two rows disagree and each is sound by itself, the earlier one was changed: the later one names what it was.
 */
export function createChain(
  head: ChainHead | undefined,
  first: (link: ChainLink) => boolean,
  report: ChainReport,
): Chain {
  let last: ChainLink | undefined;
  let headAt: number | undefined;
  return {
    next: (link) => {
      // A row behind the end that is not even sound was put there, or moved: it says nothing about the chain.
      if (!Number.isSafeInteger(link.number) || (!link.sound && head && link.number > head.number)) return;
      const expected = Math.max(last?.number ?? 0, 0) + 1;
      if (link.number > expected) report.link("missing", "the rows around it are there", expected, link.number - 1);
      if (link.number === 1 && link.sound && !first(link))
        report.link("edited", "it is the first and was not written after what it changed", 1);
      const follows = last && link.number === last.number + 1;
      if (follows && last?.sound && link.sound && link.previous !== last.digest)
        report.link("edited", `number ${link.number} was written after another digest`, last.number);
      if (head && link.digest === head.digest) headAt = link.number;
      last = link;
    },
    end: () => {
      if (!last) return;
      const { number } = last;
      if (!head) return report.head("missing", `the chain ends with number ${number}, and nothing says so`);
      const because = `it names number ${head.number}, and the chain ends with number ${number}`;
      if (head.digest === last.digest) {
        if (head.number !== number && last.sound) report.head("edited", because);
      } else if (headAt !== undefined) report.head("edited", because);
      else if (head.number > number) {
        report.link("missing", "the chain was written further than it goes now", number + 1, head.number);
        report.head("edited", because);
      } else if (last.sound) {
        report.head("edited", `it does not name the digest of number ${number}`);
        report.link("edited", "the row that ends the chain names another digest", number);
      }
    },
  };
}
