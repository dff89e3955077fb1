import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from "viem";
import { compile } from "../../../../chain/compile.ts";
import type { LocalInbox } from "../../../../chain/local-inbox.ts";

/** Contracts that post: many at once, while they are made, while they are paid, what they take back, and by the block. */
const source = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
interface Inbox {
    function post(address agent, bytes calldata body) external payable returns (bytes32);
    function reply(bytes32 id, bytes calldata body) external;
}
contract Grandchild {
    constructor(Inbox inbox, address agent, bytes memory body) payable {
        inbox.post{value: msg.value}(agent, body);
    }
}
/// Posts while it is made, and makes another.
contract Child {
    constructor(Inbox inbox, address agent, bytes memory own, bytes memory next) payable {
        inbox.post{value: msg.value / 2}(agent, own);
        new Grandchild{value: msg.value / 2}(inbox, agent, next);
    }
}
contract Attackers {
    Inbox immutable inbox;
    address immutable agent;
    /// What is done at the next payment.
    bytes32 id;
    bytes words;
    constructor(Inbox inbox_, address agent_, bytes[] memory bodies) payable {
        inbox = inbox_;
        agent = agent_;
        for (uint256 n = 0; n < bodies.length; n++) inbox_.post{value: 1}(agent_, bodies[n]);
    }
    function many(uint256 each, bytes[] calldata bodies) external payable {
        for (uint256 n = 0; n < bodies.length; n++) inbox.post{value: each}(agent, bodies[n]);
    }
    /// Each with so much gas: what fails is caught, and the rest goes on.
    function tried(uint256 each, uint256[] calldata gases, bytes[] calldata bodies) external payable {
        for (uint256 n = 0; n < bodies.length; n++)
            try inbox.post{value: each, gas: gases[n]}(agent, bodies[n]) {} catch {}
    }
    /// The first is posted and undone again; the second stays.
    function undone(uint256 each, bytes calldata gone, bytes calldata stays) external payable {
        try this.regret{value: each}(gone) {} catch {}
        inbox.post{value: each}(agent, stays);
    }
    function regret(bytes calldata body) external payable {
        inbox.post{value: msg.value}(agent, body);
        revert();
    }
    /// At an address that follows from the words, whatever was made before.
    function create(bytes calldata own, bytes calldata next) external payable {
        new Child{value: msg.value, salt: 0}(inbox, agent, own, next);
    }
    /// One or the other, by who made the block.
    function either(uint256 each, bytes calldata one, bytes calldata other) external payable {
        inbox.post{value: each}(agent, uint160(address(block.coinbase)) % 2 == 0 ? one : other);
    }
    /// Replies as if it was the agent.
    function claim(bytes32 id_) external {
        try inbox.reply(id_, "not by the agent") {} catch {}
    }
    function remember(bytes32 id_, bytes calldata words_) external {
        (id, words) = (id_, words_);
    }
    receive() external payable {
        bytes memory again = words;
        if (again.length == 0) return;
        words = "";
        inbox.post{value: msg.value}(agent, again);
        try inbox.reply(id, "while it was paid") {} catch {}
        try inbox.reply(id, "and once more") {} catch {}
    }
}`;

const abi = parseAbi([
  "constructor(address inbox, address agent, bytes[] bodies) payable",
  "function many(uint256 each, bytes[] bodies) payable",
  "function tried(uint256 each, uint256[] gases, bytes[] bodies) payable",
  "function undone(uint256 each, bytes gone, bytes stays) payable",
  "function create(bytes own, bytes next) payable",
  "function either(uint256 each, bytes one, bytes other) payable",
  "function claim(bytes32 id)",
  "function remember(bytes32 id, bytes words)",
]);

/** What the reply says that is made while the agent is paid. */
export const paidReply = "while it was paid";

/** Takes seconds in which nothing else runs: before anything is connected. */
export async function compileAttackers(): Promise<Hex> {
  return (await compile(source, "Attackers")).bytecode as Hex;
}

/** The data of calls to them. */
export function createAttackers(bytecode: Hex, { contract, agent }: Pick<LocalInbox, "contract" | "agent">) {
  const hexes = (bodies: readonly Uint8Array[]) => bodies.map(hexOf);
  return {
    deploy: (bodies: readonly Uint8Array[]) =>
      encodeDeployData({ abi, bytecode, args: [contract, agent, hexes(bodies)] }),
    many: (each: bigint, bodies: readonly Uint8Array[]) =>
      encodeFunctionData({ abi, functionName: "many", args: [each, hexes(bodies)] }),
    tried: (each: bigint, gases: readonly bigint[], bodies: readonly Uint8Array[]) =>
      encodeFunctionData({ abi, functionName: "tried", args: [each, gases, hexes(bodies)] }),
    undone: (each: bigint, gone: Uint8Array, stays: Uint8Array) =>
      encodeFunctionData({ abi, functionName: "undone", args: [each, hexOf(gone), hexOf(stays)] }),
    create: (own: Uint8Array, next: Uint8Array) =>
      encodeFunctionData({ abi, functionName: "create", args: [hexOf(own), hexOf(next)] }),
    either: (each: bigint, one: Uint8Array, other: Uint8Array) =>
      encodeFunctionData({ abi, functionName: "either", args: [each, hexOf(one), hexOf(other)] }),
    claim: (id: Hex) => encodeFunctionData({ abi, functionName: "claim", args: [id] }),
    remember: (id: Hex, words: Uint8Array) =>
      encodeFunctionData({ abi, functionName: "remember", args: [id, hexOf(words)] }),
  };
}

function hexOf(body: Uint8Array): Hex {
  return `0x${Buffer.from(body).toString("hex")}`;
}
