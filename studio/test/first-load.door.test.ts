import { afterAll, beforeAll, expect, test } from "vitest";
import { heavyOnes, kilobytes, load } from "./stage/fetched.ts";
import { inBrowser } from "./stage/on-stage.ts";
import { openStage, type Stage } from "./stage/stage.ts";

inBrowser("what the browser fetches", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  test("the first page takes 180 KB at most besides its font; no tokenizer's table and no editor", async () => {
    const { files, elsewhere } = await load(stage, "/agents/ada/prompt?user=olga");
    const fonts = files.filter(({ path }) => path.endsWith(".woff2"));
    const first = files.filter((file) => !fonts.includes(file));
    console.info(
      `The first load of the Prompt page: ${kilobytes(first)} KB in ${first.length} files, and ${kilobytes(fonts)} KB of its font.`,
    );
    expect(kilobytes(first)).toBeLessThanOrEqual(180);
    expect([heavyOnes(files, "editor"), heavyOnes(files, "tokenizer")]).toEqual([[], []]);
    expect(elsewhere).toEqual([]);
  });

  test("a page that counts nothing and edits nothing fetches neither; one that edits fetches the editor", async () => {
    const editorOn = async (path: string) => {
      const { files, elsewhere } = await load(stage, path, async (page) => {
        if (path.endsWith("soul")) await page.getByRole("textbox", { name: "Text of “soul”" }).waitFor();
      });
      expect(elsewhere).toEqual([]);
      return { editor: heavyOnes(files, "editor").length > 0, tokenizer: heavyOnes(files, "tokenizer").length > 0 };
    };
    expect(await editorOn("/agents/ada/sections/safety")).toEqual({ editor: false, tokenizer: false });
    expect(await editorOn("/agents/ada/sections/soul")).toEqual({ editor: true, tokenizer: false });
  });
});
