import type { StoreFault } from "./faults.ts";

/** One row of a hash chain: its number, the digest it was written after, its own. */
type HashChainLink = {
  readonly number: number;
  readonly previous: string;
  readonly digest: string;
  /** It is what its digest says. */
  readonly isSound: boolean;
  /** Whether it may be the first: it was written after what was there. */
  readonly isFirst: () => boolean;
};

/** The row that says where a hash chain ends. */
type HashChainEnd = { readonly number: number; readonly digest: string };

type HashChainReport = {
  readonly link: (what: StoreFault["what"], because: string, from: number, to?: number) => void;
  readonly end: (what: StoreFault["what"], because: string) => void;
};

type HashChain = { readonly next: (link: HashChainLink) => void; readonly end: () => void };

/**
 * Walks one hash chain from its first row to its end: none missing, each written after the one before, the last the one
 * that the end names. A row that is not sound is the caller's to report; here it is only not believed.
 *
 * Where two rows disagree and each is sound by itself, the earlier one was changed: the later one names what it was.
 */
export function createHashChain(end: HashChainEnd | undefined, report: HashChainReport): HashChain {
  let last: HashChainLink | undefined;
  let endAt: number | undefined;
  return {
    next: (link) => {
      // A row behind the end that is not even sound was put there, or moved: it says nothing about the chain.
      if (!Number.isSafeInteger(link.number) || (!link.isSound && end && link.number > end.number)) return;
      const expected = Math.max(last?.number ?? 0, 0) + 1;
      if (link.number > expected) report.link("missing", "the rows around it are there", expected, link.number - 1);
      if (link.number === 1 && link.isSound && !link.isFirst())
        report.link("edited", "it is the first and was not written after what it changed", 1);
      const follows = last && link.number === last.number + 1;
      if (follows && last?.isSound && link.isSound && link.previous !== last.digest)
        report.link("edited", `number ${link.number} was written after another digest`, last.number);
      if (end && link.digest === end.digest) endAt = link.number;
      last = link;
    },
    end: () => {
      if (!last) return;
      const { number } = last;
      if (!end) return report.end("missing", `the chain ends with number ${number}, and nothing says so`);
      const because = `it names number ${end.number}, and the chain ends with number ${number}`;
      if (end.digest === last.digest) {
        if (end.number !== number && last.isSound) report.end("edited", because);
      } else if (endAt !== undefined) report.end("edited", because);
      else if (end.number > number) {
        report.link("missing", "the chain was written further than it goes now", number + 1, end.number);
        report.end("edited", because);
      } else if (last.isSound) {
        report.end("edited", `it does not name the digest of number ${number}`);
        report.link("edited", "the row that ends the chain names another digest", number);
      }
    },
  };
}
