/**
 * A place where words could pass for structure, or hide what stands after them.
 *
 * `sure`: every reader takes it for structure. `hides`: to some reader, what follows is no longer there. `maybe`: only
 * some reader takes it for structure.
 */
export type Place = {
  readonly what: "heading" | "separator" | "definition" | "line" | "tag" | "fence" | "markup";
  readonly at: number;
  readonly certainty: "sure" | "hides" | "maybe";
};
