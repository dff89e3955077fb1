/** Something in the database that is not as it was written, and how that is known. */
export type StoreFault = {
  readonly table: string;
  /** The row by its key; several by their owner. */
  readonly row: string;
  /** `damaged`: the database itself says that its pages or indexes are. */
  readonly what: "edited" | "missing" | "reordered" | "extra" | "damaged";
  readonly reason: string;
};

export type FaultList = {
  readonly add: (fault: StoreFault) => void;
  readonly list: readonly StoreFault[];
  /** How many more there are than are listed. */
  readonly further: () => number;
};

/** Enough to see what happened; a store in ruins does not fill the memory with its faults. */
const max = 1000;

export function createFaults(): FaultList {
  const list: StoreFault[] = [];
  const known = new Set<string>();
  let further = 0;
  return {
    list,
    further: () => further,
    add: (fault) => {
      const name = JSON.stringify([fault.table, fault.row, fault.what]);
      if (known.has(name)) return;
      if (list.length >= max) further++;
      else {
        known.add(name);
        list.push(fault);
      }
    },
  };
}

type Key = { readonly agent: string; readonly user_id?: string; readonly section?: string };

/** “agent ada, user bo, section wishes”: whose rows they are. A hash chain, and the row that ends it, are called so. */
export function ownerName({ agent, user_id, section }: Key): string {
  const whose = [
    ...(agent === "" ? [] : [`agent ${agent}`]),
    ...(user_id === undefined || user_id === "" ? [] : [`user ${user_id}`]),
    ...(section === undefined ? [] : [`section ${section}`]),
  ];
  return whose.join(", ") || "of no agent";
}

/** One row of a hash chain, or a stretch of them. */
export function linkName(hashChain: string, word: "revision" | "step", from: number, to = from): string {
  return from === to ? `${hashChain}, ${word} ${from}` : `${hashChain}, ${word}s ${from} to ${to}`;
}

export function textName(owner: string, digest: string): string {
  return owner === "" ? `digest ${digest}` : `user ${owner}, digest ${digest}`;
}
