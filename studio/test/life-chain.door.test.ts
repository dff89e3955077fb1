import { expect, test } from "vitest";
import { liveOnChain, solsChain, solsPlace } from "./stage/on-chain.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** The page Life of an agent whose inbox is on a chain. */
inBrowser("the life of an agent on a chain", () => {
  const { stage, window } = onStage({ lived: false, chains: solsChain, prepare: liveOnChain });
  const main = () => window.page.getByRole("main");
  const part = (name: string) => main().getByRole("region", { name });
  const figure = async (name: string) => {
    const lines = await main().locator("dl > div").filter({ hasText: name }).innerText();
    // When it was read is by the clock.
    return lines.split(/\n+/).map((line) => line.replace(/^read .*/, "read …"));
  };

  test("what it has, how far it was read, its replies and their fees are told", async () => {
    await goTo(window.page, "/agents/sol/life");
    await main().getByText("On chain 8453").waitFor();
    await expect
      .poll(() => figure("On chain"))
      .toEqual([
        ...["On chain 8453", "0.04058 ETH", "1,250.5 USDC", "read …", "at ", "Copy its address"],
        expect.stringMatching(/^0x[\da-f]{6}…$/),
      ]);
    await expect
      .poll(() => figure("Read up to block"))
      .toEqual([
        ...["Read up to block", "38,415,288", "read …", "11 blocks behind the newest, 38,415,299"],
        "2 messages in blocks that do not count yet",
      ]);
    await expect
      .poll(() => figure("Replies on the chain"))
      .toEqual([...["Replies on the chain", "3 final", "1 in a block that does not count yet", "1 failed"]]);
    await expect
      .poll(async () => (await figure("Fees today")).slice(2))
      .toEqual(["of at most 0.02 ETH a day", "at most 0.001 ETH for a reply"]);
  });

  test("a reply says whether it is final on the chain", async () => {
    const rows = () => part("Latest replies").getByRole("listitem").allInnerTexts();
    const told = async () => (await rows()).map((row) => /(not )?final on the chain/.exec(row)?.[0]);
    await expect
      .poll(told)
      .toEqual([...Array(2).fill("not final on the chain"), ...Array(3).fill("final on the chain")]);
  });

  test("a reply that failed stands with its reason and whom it is for, and is sent again", async () => {
    const stopped = part("Replies that are not on the chain");
    const [{ reply, to } = { reply: "", to: "" }] = await stage.store.chain.replies.list(solsPlace, "failed");
    await stopped.getByText("It is 9,214 bytes; the contract takes 4,096.").waitFor();
    await stopped.getByRole("link", { name: to }).waitFor();
    await stopped.getByRole("button", { name: `Send again: the reply to ${to}` }).click();
    await main().getByRole("status").getByText(`The reply to “${to}” is sent again.`).waitFor();
    await stopped.waitFor({ state: "detached" });
    await expect
      .poll(() => stage.store.chain.replies.find("sol", reply))
      .toMatchObject({ state: "waiting", reason: null });
  });

  test("one that costs too much, and a chain that cannot be read, are told", async () => {
    const { chain } = stage.store;
    const [cursor] = await chain.cursors("sol");
    const [waiting] = await chain.replies.list(solsPlace, "waiting");
    if (!cursor || !waiting) throw new Error("nothing waits");
    await chain.replies.hold(cursor, waiting.reply, "It would cost 0.0013 ETH; 0.001 is the most.");
    await chain.note(cursor, { problem: "base.example did not answer in 10 s." });
    await window.page.reload();
    await part("Replies that are not on the chain").getByText("It would cost 0.0013 ETH; 0.001 is the most.").waitFor();
    await main().getByText("base.example did not answer in 10 s.").waitFor();
    await main().getByText("1 held: the fee is above the limit").waitFor();
    expect(window.wrong).toEqual([]);
  });
});
