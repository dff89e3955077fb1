// A local chain with the inbox contract, to try an agent on that lives there; and what a person does on it.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatEther, parseEther } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { accountCount, keyOf, mnemonic } from "./accounts.ts";
import { connectChain, type Hex } from "./local-chain.ts";
import { deployInbox, type LocalInbox, openInbox, usualContract } from "./local-inbox.ts";
import { chainId, serveChain } from "./node.ts";
import { refusalText } from "./refusal.ts";

const usage = `npm run chain [-- options]                 a chain on this machine, until Ctrl-C
npm run -s chain -- settings               what to put into charter.config.ts
npm run -s chain -- post "Are you open?"   posts a message to the agent, and pays it
npm run -s chain -- replies                every message, and its reply if it has one
npm run -s chain -- price 0.01             the agent asks 0.01 ETH a message from now on

  --port <n>       where it listens on 127.0.0.1 (8545); 0: any that is free
  --agent <name>   the agent that lives there (sol)
  --block <ms>     a block at least this often, in milliseconds (1000)
  --value <ETH>    what a post pays (0.001)
  --from <n>       who posts: an account from 2 to ${accountCount - 1} (2)
`;

const options = {
  port: { type: "string", default: "8545" },
  agent: { type: "string", default: "sol" },
  block: { type: "string", default: "1000" },
  value: { type: "string", default: "0.001" },
  from: { type: "string", default: "2" },
  help: { type: "boolean", short: "h" },
} as const;

type Given = ReturnType<typeof given>["values"];

function given() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return fail((error as Error).message, usage);
  }
}

function fail(problem: string, hint: string): never {
  process.stderr.write(`${problem}\n${hint}`);
  process.exit(2);
}

/** Anybody can know this key. It stands in a file because that is where an agent's key stands. */
const keyFile = resolve(import.meta.dirname, "../.charter/chain-agent.key");
const agent = mnemonicToAccount(mnemonic);

function writeKey(): void {
  mkdirSync(dirname(keyFile), { recursive: true });
  writeFileSync(keyFile, `${keyOf(0)}\n`, { mode: 0o600 });
  chmodSync(keyFile, 0o600);
}

function settings({ port, agent: name }: Given): string {
  const lines = [
    `rpc: ["http://127.0.0.1:${port}"],`,
    `id: ${chainId},`,
    `contract: "${usualContract}",`,
    `address: "${agent.address}",`,
    "from: 0,",
    "confirmations: 2,",
    `keyFile: ${JSON.stringify(keyFile)},`,
    'maxFeePerReply: "0.01",',
    'maxFeePerDay: "1",',
  ];
  const chain = `{\n${lines.map((line) => `      ${line}`).join("\n")}\n    }`;
  return `export default {\n  automaton: {\n    agent: ${JSON.stringify(name)},\n    chain: ${chain},\n  },\n};\n`;
}

async function serve(values: Given): Promise<void> {
  const port = Number(values.port);
  const say = (words: string) => process.stderr.write(words);
  try {
    const { url } = await serveChain({ port, blockMs: Number(values.block), say });
    await deployInbox(url);
    writeKey();
    // Before it is told that the chain is there: whoever reads that may end it at once.
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => {
        process.stdout.write("The chain has ended, and all that was on it is gone.\n");
        process.exit(0);
      });
    process.stdout.write(greeting({ ...values, port: new URL(url).port }));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EADDRINUSE")
      fail(
        `port-taken: Something listens on 127.0.0.1:${port} already.`,
        "Hint: if it is a chain, use it. Otherwise end it, or give another --port.\n",
      );
    if (code === "EACCES")
      fail(`port-refused: Port ${port} is not yours to listen on.`, "Hint: give a --port from 1024 up.\n");
    fail(message, "The chain did not start.\n");
  }
}

function greeting(values: Given): string {
  const port = values.port === "8545" ? "" : ` --port ${values.port}`;
  const name = values.agent === "sol" ? "" : ` --agent ${values.agent}`;
  return `A chain listens on http://127.0.0.1:${values.port}, until Ctrl-C.
It forgets everything when it ends.

The inbox contract is ${usualContract}.
${accountCount} accounts have 10,000 ETH each. Their keys are known to everybody:
never use them on another chain.

charter.config.ts:

${settings(values)}
In a second terminal, the agent:

  npx charter agents add ${values.agent} --charter sovereign
  npx charter automaton grant ${values.agent} 5.00
  npm run -s chain --${port}${name} settings > charter.config.ts
  npm start

In a third, a message to it, and its reply:

  npm run -s chain --${port} post "Are you open?"
  npm run -s chain --${port} replies
`;
}

async function inboxAt({ port }: Given): Promise<LocalInbox> {
  const chain = connectChain(`http://127.0.0.1:${port}`);
  try {
    await chain.block();
  } catch {
    fail(`chain-not-there: No chain listens on 127.0.0.1:${port}.`, "Hint: npm run chain, in another terminal.\n");
  }
  return openInbox(chain, { contract: usualContract, agent: agent.address });
}

async function post(values: Given, body: string): Promise<void> {
  const inbox = await inboxAt(values);
  const from = (await inbox.chain.accounts())[Number(values.from)] as Hex;
  const posting = { from, body, value: parseEther(values.value) };
  const { id, sender, value } = await inbox
    .post(posting)
    .catch((error: Error) => fail(`post-refused: ${refusalText(error)}`, "Nothing was posted, and nothing paid.\n"));
  process.stdout.write(`Posted by ${sender}, who paid ${formatEther(value)} ETH.\n${id}\n`);
}

/** What each of them has, in a line of its own. */
async function replies(values: Given): Promise<void> {
  const inbox = await inboxAt(values);
  const found = new Map((await inbox.replies()).map((reply) => [reply.id, reply]));
  const all = await inbox.posted();
  if (all.length === 0) process.stdout.write("Nobody has posted anything on this chain yet.\n");
  for (const { id, sender, body } of all) {
    const reply = found.get(id);
    const words = reply ? `reply: ${JSON.stringify(reply.body)}` : "no reply yet";
    process.stdout.write(`${sender}: ${JSON.stringify(Buffer.from(body).toString())}\n  ${words}\n`);
  }
}

async function price(values: Given, ether: string): Promise<void> {
  await (await inboxAt(values)).setPrice(parseEther(ether));
  process.stdout.write(`A message to the agent costs ${ether} ETH from now on: --value ${ether}\n`);
}

const { values, positionals } = given();
const [does, body, ...more] = positionals;
const isCount = (text: string) => /^\d{1,5}$/.test(text);
const isEther = (text: string) => /^\d{1,9}(?:\.\d{1,18})?$/.test(text);
const wrong = (what: string) => fail(what, `\n${usage}`);
if (values.help) process.stdout.write(usage);
else if (!isCount(values.port) || Number(values.port) > 65_535)
  wrong(`“${values.port}” is no port: give a whole number up to 65535.`);
else if (!isCount(values.block)) wrong(`“${values.block}” is no number of milliseconds.`);
else if (!isEther(values.value)) wrong(`“${values.value}” is no amount: give ETH, as in 0.001.`);
else if (!isCount(values.from) || Number(values.from) < 2 || Number(values.from) >= accountCount)
  wrong(`There is no account “${values.from}” to post from.`);
else if (does === undefined) await serve(values);
else if (more.length > 0) wrong(`“${more[0]}” is too much: put the words of a message in quotes.`);
else if (does === "settings" && body === undefined) process.stdout.write(settings(values));
else if (does === "replies" && body === undefined) await replies(values);
else if (does === "post" && body === undefined) wrong("What is to be posted? Give its words, in quotes.");
else if (does === "post" && body !== undefined) await post(values, body);
else if (does === "price" && body !== undefined && isEther(body)) await price(values, body);
else if (does === "price") wrong("How much is a message to cost? Give ETH, as in 0.01.");
else wrong(`“${positionals.join(" ")}” is nothing that can be done here.`);
