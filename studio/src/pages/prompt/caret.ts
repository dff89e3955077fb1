/** The place in the text under the pointer: each piece of it says where it starts. */
export function caretAt({
  clientX,
  clientY,
}: {
  readonly clientX: number;
  readonly clientY: number;
}): number | undefined {
  const found = caretNode(clientX, clientY);
  const piece = found?.node.parentElement?.closest<HTMLElement>("[data-at]");
  if (!found || !piece) return undefined;
  // A caret stands between two letters: the one that is pointed at may be the one before it.
  const range = document.createRange();
  const { node, offset } = found;
  const before = offset > 0 && holds(range, node, offset - 1, clientX) ? offset - 1 : offset;
  return Number(piece.dataset.at) + Math.min(before, Math.max(0, (node.textContent?.length ?? 0) - 1));
}

function caretNode(x: number, y: number): { readonly node: Node; readonly offset: number } | undefined {
  const at = document.caretPositionFromPoint?.(x, y);
  if (at) return { node: at.offsetNode, offset: at.offset };
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

function holds(range: Range, node: Node, at: number, x: number): boolean {
  if (at + 1 > (node.textContent?.length ?? 0)) return false;
  range.setStart(node, at);
  range.setEnd(node, at + 1);
  const { left, right } = range.getBoundingClientRect();
  return x >= left && x <= right;
}
