import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../homes.ts";
import { randomFrom, seed, times } from "../tiers/search.ts";
import { endureChain } from "./endurance.ts";

const wanted = { posts: times(1_000), kills: times(40), reorganisations: times(40) };

test.each(bothHomes)(
  "an agent on a chain that is not what it was, on %s: each post has one reply there, is withdrawn, or dead with all reasons",
  async (home) => {
    const place = await newPlace(home);
    try {
      const { faults, ...found } = await endureChain(place, { ...wanted, random: randomFrom(seed) });
      console.log(
        `${home}: ${found.posts} posts, ${found.kills} processes killed, ${found.reorganisations} times the newest blocks were replaced (${found.includedAgain} posts included again), ${found.rpcFaults} faults of the node. ${found.answered} have one reply on the chain, ${found.orphaned} were answered and their block is gone, ${found.withdrawn} withdrawn, ${found.unread} gone before they were read, ${found.dead} are dead with all reasons.`,
      );
      expect(faults).toEqual([]);
      expect(found.posts).toBe(found.answered + found.dead + found.orphaned + found.withdrawn + found.unread);
    } finally {
      await place.remove();
    }
  },
);
