import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

inBrowser("compare", () => {
  const { stage, window } = onStage();

  const compare = async (agent: string, left?: string, right?: string, more = "") => {
    const query = left && right ? `?${new URLSearchParams({ left, right })}${more}` : "";
    await goTo(window.page, `/agents/${agent}/compare${query}`);
  };
  const turnSaying = async (input: string) =>
    (await stage.store.turns.list({ agent: "ada", limit: 100 })).find((one) => one.input === input)?.id ?? "";
  const section = (name: string) => window.page.locator(`details[data-section="${name}"]`);
  const press = (name: string) => window.page.getByRole("button", { name, exact: true }).click();
  const heading = () => window.page.getByRole("heading", { level: 2 });
  const sides = () => {
    const { searchParams } = new URL(window.page.url());
    return [searchParams.get("left"), searchParams.get("right")];
  };

  test("without being asked, the last turn is compared with now", async () => {
    await compare("ada");
    await heading().waitFor();
    await window.page.getByRole("listbox", { name: /^The left prompt: [\d,]+ tokens in \d+ sections$/ }).waitFor();
    await window.page.getByRole("listbox", { name: /^The right prompt: [\d,]+ tokens in \d+ sections$/ }).waitFor();
    await section("time").getByText("changed").waitFor();
    expect(await heading().innerText()).toMatch(/^Section by section 1 changed, \d+ the same$/);
  });

  test("two users: whose words differ is seen word by word, and the rest is folded", async () => {
    await compare("ada", "now:user=olga&channel=web", "now:user=bo&channel=web");
    const instructions = section("instructions");
    await instructions.locator("ins", { hasText: "French" }).waitFor();
    expect(await instructions.locator("del", { hasText: "bullet points" }).count()).toBe(1);
    expect(await instructions.locator("summary").innerText()).toMatch(
      /changed\s+amendable[\s\S]*\d+ → \d+ tokens \(−\d+\)$/,
    );
    const same = window.page.locator("summary", { hasText: "sections are the same" }).first();
    expect(await same.innerText()).toMatch(/identity, soul, safety/);
    await same.click();
    await window.page.getByRole("main").getByRole("link", { name: "safety" }).waitFor();
    await press("Swap the sides");
    await expect.poll(sides).toEqual(["now:user=bo&channel=web", "now:user=olga&channel=web"]);
    await instructions.locator("del", { hasText: "French" }).waitFor();
    await window.page.goBack();
    await instructions.locator("ins", { hasText: "French" }).waitFor();
    await instructions.getByRole("link", { name: "in Sections" }).click();
    await window.page.waitForURL((url) => url.pathname === "/agents/ada/sections/instructions");
  });

  test("within a turn: what was amended is told in the history, and stands in the prefix later", async () => {
    const turn = await turnSaying("Never use exclamation marks.");
    await compare("ada", `turn:${turn}`, `turn:${turn}`, "&leftStep=1");
    await section("instructions").getByText("only right").waitFor();
    expect(await section("instructions").innerText()).toContain("in the history");
    expect(await heading().innerText()).toMatch(/1 only right, \d+ the same$/);
    await compare("ada", `turn:${turn}`, "now:user=olga&channel=web");
    await window.page.getByRole("combobox", { name: "Step" }).selectOption("1");
    await section("instructions")
      .getByText(/revision \d+ → \d+/)
      .waitFor();
    await expect.poll(() => new URL(window.page.url()).searchParams.get("leftStep")).toBe("1");
  });

  test("two editions and two channels, by one click each", async () => {
    await compare("sol");
    await press("Two editions");
    await expect.poll(sides).toEqual(["now:user=olga&edition=full", "now:user=olga&edition=compact"]);
    await window.page.locator("summary", { hasText: "changed" }).first().waitFor();
    await press("Two channels");
    await expect
      .poll(() => sides().map((side) => new URLSearchParams(side?.slice(4)).get("channel")))
      .not.toContain(null);
    await heading().waitFor();
  });

  test("a band that is chosen leads to its words", async () => {
    await compare("ada", "now:user=olga&channel=web", "now:user=bo&channel=web");
    const picture = window.page.getByRole("listbox", { name: /^The left prompt/ });
    await picture.focus();
    await window.page.keyboard.press("End");
    await window.page.keyboard.press("ArrowUp");
    await window.page.keyboard.press("ArrowUp");
    await window.page.keyboard.press("Enter");
    await expect.poll(() => new URL(window.page.url()).searchParams.get("section")).toBe("instructions");
  });

  test("what was erased, what is not known, and whom nobody knows is said kindly", async () => {
    await compare("ada", "now:user=olga", "now:user=zed");
    await window.page.getByText("No user “zed” yet. This is the prompt of their first turn.").waitFor();
    await heading().waitFor();
    const turn = await turnSaying("Which of my rules do you have?");
    await compare("ada", `turn:${turn}`, "now:user=bo");
    await heading().waitFor();
    await stage.store.erase({ user: "cy" });
    await window.page.getByText("What this turn sent was erased and cannot be restored.").waitFor();
    expect(window.wrong).toEqual([]);
    await compare("ada", "turn:nothing", "now:");
    await window.page.getByText("There is no turn “nothing”.").waitFor();
    expect(window.wrong.splice(0).every((one) => one.includes("404"))).toBe(true);
  });

  test("fits a telephone", async () => {
    await window.page.setViewportSize({ width: 360, height: 640 });
    await compare("ada", "now:user=olga&channel=web", "now:user=bo&channel=telegram");
    await section("instructions").locator("ins").first().waitFor();
    const overflows = (what: string) => window.page.locator(what).evaluate((one) => one.scrollWidth > one.clientWidth);
    expect([await overflows("html"), await overflows("main")]).toEqual([false, false]);
    expect(window.wrong).toEqual([]);
  });
});
