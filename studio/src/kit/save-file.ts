/** Gives whoever looks a file to keep, made here. */
export function saveFile(name: string, type: string, words: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([words], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
