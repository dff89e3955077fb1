import { expect, test } from "vitest";
import type { AskOptions, OwnToolUse } from "../../charter/src/delivery/model.ts";
import { keeper, said } from "../../charter/test/agent/keeper.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const use = { id: "t1", title: "Read notes.md", kind: "read", paths: ["/srv/app/notes.md"], foreign: true } as const;
const asked = {
  ...{ id: "p1", title: "make all", kind: "execute", paths: ["/srv/app"] },
  ...{ input: { command: ["make", "all"] }, policy: "hold" as const },
} as const;

/** An agent behind the model that keeps the conversation, has tools of its own and asks before it runs one. */
inBrowser("an agent with tools of its own", () => {
  const { promise: goOn, resolve: go } = Promise.withResolvers<void>();
  const own = ({ onOwnTool }: AskOptions, status: OwnToolUse["status"]) => onOwnTool?.({ ...use, status });
  const model = keeper([
    async (asking) => {
      own(asking, "running");
      await goOn;
      own(asking, "done");
      await asking.onPermission?.(asked);
      return said("I may not run make.");
    },
    async ({ onPermission }) => said(`It was ${await onPermission?.({ ...asked, id: "p2" })}.`),
  ]);
  const { stage, window } = onStage({
    lived: false,
    model,
    prepare: ({ store }) => store.agents.add({ name: "kay", charter: "assistant" }),
  });
  const main = () => window.page.getByRole("main");
  const turn = () => window.page.getByRole("article").last();
  const own1 = () => turn().getByRole("region", { name: "A tool of the agent’s own" });
  const say = async (words: string) => {
    await window.page.getByRole("textbox", { name: "Message" }).fill(words);
    await window.page.keyboard.press("Enter");
  };

  test("the chat shows a tool of its own while it runs, and what it asks leave for", async () => {
    await goTo(window.page, "/agents/kay/chat");
    await say("Build it.");
    await own1().getByText("running…").waitFor();
    await own1().getByText("/srv/app/notes.md").waitFor();
    go();
    await turn().getByText("I may not run make.").waitFor();
    await own1().getByText("done").waitFor();
    const card = turn().getByRole("region", { name: "Needs approval" });
    await card.getByText("The agent asks to run: make all. It was refused for now.").waitFor();
    await card.getByText("command.0: make").waitFor();
  });

  test("it is there again when the conversation is read from the record", async () => {
    await window.page.reload();
    await own1().getByText("Read notes.md").waitFor();
    await turn().getByRole("region", { name: "Needs approval" }).getByText("asks to run: make all").waitFor();
  });

  test("its turn says where the system prompt went, which tools it used, and that the cost is unknown", async () => {
    const [taken] = await stage.store.turns.list({ agent: "kay" });
    await goTo(window.page, `/agents/kay/turns/${taken?.id}`);
    await main().getByText("in the agent's system prompt field, with this request").waitFor();
    const tools = main()
      .getByRole("listitem")
      .filter({ has: window.page.getByRole("heading", { name: "The agent’s own tools" }) });
    await tools.getByText("What its own tools read is not known here.").waitFor();
    await expect
      .poll(async () => (await tools.getByRole("listitem").innerText()).split(/\s*\n\s*/))
      .toEqual(["Read notes.md", "read", "done", "/srv/app/notes.md"]);
    await main().getByText("The agent asked for permission to").waitFor();
    await main().getByText("cost unknown").first().waitFor();
  });

  test("Approvals shows what it asks as that; approved, it is allowed once, in the next turn", async () => {
    await goTo(window.page, "/approvals?agent=kay");
    const card = main().getByRole("listitem").filter({ hasText: "asks to run: make all" });
    await card.getByText("allowed once, in the next turn, if the agent asks for the same again").waitFor();
    await card.getByText("/srv/app").waitFor();
    await card.getByRole("button", { name: "Approve the permission to run: make all" }).click();
    await main().getByText("Approved: if the agent asks for “run: make all” again, it is allowed once").waitFor();
    await goTo(window.page, "/agents/kay/chat");
    await say("Go on.");
    await turn().getByText("It was allow.").waitFor();
    await turn().getByText("allowed once").waitFor();
    await expect.poll(() => stage.store.calls.list({ agent: "kay", status: "done" })).toHaveLength(1);
    expect(window.wrong).toEqual([]);
  });
});
