import { afterEach, expect, test } from "vitest";
import { calls, hangs } from "../../../charter/test/agent/model.ts";
import { inBrowser } from "../stage/on-stage.ts";
import { arrive, onUserStage, open, openUserWindow, pausing, point, say } from "./stage.ts";

/** What happens to a conversation besides answers. */
inBrowser("a conversation at the page for users", () => {
  const on = onUserStage();
  const page = () => on.window().page;
  afterEach(() => expect(on.window().wrong.splice(0)).toEqual([]));
  const last = () => page().getByRole("article").last();
  const ask = async (text: string) => {
    await page().getByRole("textbox", { name: "Message" }).fill(text);
    await page().keyboard.press("Enter");
  };

  test("an answer is stopped, and what there was of it is gone", async () => {
    await arrive(page(), await on.stage().link("bo"));
    const { promise: started, resolve } = Promise.withResolvers<void>();
    on.stage().model.say(hangs(resolve, "Once upon"));
    await ask("Tell me a story.");
    await started;
    await last().getByText("Once upon").waitFor();
    await page().getByRole("button", { name: "Stop" }).click();
    await last().getByText("Stopped.").waitFor();
    expect(await last().getByText("Once upon").count()).toBe(0);
  });

  test("what failed says so in plain words, and is tried again where it stands", async () => {
    on.stage().model.say({ fault: { code: "model-rejected", message: "SECRET of the provider", retry: false } });
    await ask("Are you there?");
    await last().getByRole("button", { name: "Try again" }).waitFor();
    expect(await last().innerText()).not.toContain("SECRET");
    const before = await page().getByRole("article").count();
    on.stage().model.say("Yes.");
    await last().getByRole("button", { name: "Try again" }).click();
    await page().getByRole("article").getByText("Yes.").waitFor();
    expect(await page().getByRole("article").count()).toBeLessThanOrEqual(before + 1);
  });

  test("an action that is approved in the conversation is done at once", async () => {
    on.stage().model.say(
      calls(["inbox", {}]),
      calls(["send_mail", { to: "bo@example.org", body: "Regards" }]),
      "It waits.",
      "It was sent.",
    );
    await say(page(), "Answer my mail.");
    await last().getByRole("button", { name: "Approve" }).click();
    await page().getByRole("article").getByText("It was sent.").waitFor();
    await page().getByText("Approved and done.").waitFor();
    expect((await on.stage().store.calls.list({ agent: "ada", status: "done" })).map(({ tool }) => tool)).toEqual([
      "send_mail",
    ]);
  });

  test("it goes on while another page is looked at, and is the same after a reload", async () => {
    const answer = pausing("A moment", "Here it is.");
    on.stage().model.say(answer.line);
    await ask("Look it up.");
    await last().getByText("A moment").waitFor();
    await open(page(), "Notes");
    answer.goOn();
    await page().goBack();
    await page().getByRole("article").getByText("Here it is.").waitFor();
    const address = page().url();
    await page().reload();
    await page().getByRole("article").getByText("Here it is.").waitFor();
    expect(page().url()).toBe(address);
  });

  test("what is said in another browser of theirs appears here by itself; somebody else's does not", async () => {
    const other = await openUserWindow();
    await arrive(other.page, await on.stage().link("bo"));
    on.stage().model.say("From elsewhere.");
    await say(other.page, "I write from my telephone.");
    await page().getByRole("article").getByText("I write from my telephone.").waitFor();
    await other.context.close();
    const eve = await openUserWindow();
    await arrive(eve.page, await on.stage().link("eve"));
    on.stage().model.say("For Eve.");
    await say(eve.page, "I am Eve.");
    expect(await eve.page.getByRole("link", { name: "Tell me a story." }).count()).toBe(0);
    await eve.context.close();
    await page().reload();
    await page().getByRole("article").first().waitFor();
    expect(await page().getByText("I am Eve.").count()).toBe(0);
  });

  test("conversations are parted, and each is found again by its first words", async () => {
    await page().getByRole("navigation").getByRole("link", { name: "New conversation" }).click();
    on.stage().model.say("Another one.");
    await say(page(), "Something else.");
    expect(await page().getByRole("article").count()).toBe(1);
    await page().getByRole("navigation").getByRole("link", { name: "Tell me a story." }).click();
    await page().getByRole("article").getByText("Here it is.").waitFor();
    expect(await page().getByRole("article").getByText("Something else.").count()).toBe(0);
  });

  test("pictures are pasted and dropped, removed again, and too many or too large ones are told before they are sent", async () => {
    const give = (event: "paste" | "drop", files: readonly { readonly name: string; readonly size?: number }[]) =>
      page().evaluate(`{
        const data = new DataTransfer();
        const point = Uint8Array.from(atob(${JSON.stringify(point.toString("base64"))}), (one) => one.charCodeAt(0));
        for (const { name, size } of ${JSON.stringify(files)})
          data.items.add(new File([size === undefined ? point : new Uint8Array(size)], name, { type: "image/png" }));
        const about = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
        const event = "${event}" === "paste" ? new ClipboardEvent("paste", about) : new DragEvent("drop", about);
        document.querySelector("textarea").dispatchEvent(event);
      }`);
    const previews = page().locator("form").getByRole("img");
    await give("paste", [{ name: "pasted.png" }]);
    await give("drop", [{ name: "dropped.png" }, { name: "huge.png", size: 5_000_001 }]);
    await page().getByText("“huge.png” is too large: the limit is 5 MB.").waitFor();
    await expect.poll(() => previews.count()).toBe(2);
    await page().getByRole("button", { name: "Remove pasted.png" }).click();
    await expect.poll(() => previews.count()).toBe(1);
    await give(
      "drop",
      Array.from({ length: 10 }, (_, index) => ({ name: `${index}.png` })),
    );
    await page().getByText("A message can have 10 files. “9.png” was left out.").waitFor();
    await expect.poll(() => previews.count()).toBe(10);
    on.stage().model.say("Ten.");
    await page().getByRole("button", { name: "Send" }).click();
    await page().getByRole("article").getByText("Ten.").waitFor();
    expect(await page().locator("article").last().getByRole("img").count()).toBe(10);
    expect(await previews.count()).toBe(0);
  });

  test("what was typed and not sent is there after a reload; what is too long is not sent", async () => {
    const box = page().getByRole("textbox", { name: "Message" });
    await box.fill("Half a thou");
    await page().reload();
    await expect.poll(() => box.inputValue()).toBe("Half a thou");
    await box.fill("x".repeat(32_001));
    await page().getByText("the limit is 32,000").waitFor();
    expect(await page().getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await box.fill("");
  });
});
