/** The page for users and its API have a door of their own: what opens it opens no other, and nothing else opens it. */
export function isForChat(path: string): boolean {
  return path.startsWith("/chat/");
}
