/** Whether the server that sent this document is a demo: it marks every document, before anybody has signed in. */
export function isDemoDocument(): boolean {
  return document.documentElement.dataset.demo !== undefined;
}
