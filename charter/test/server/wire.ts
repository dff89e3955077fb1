import { connect } from "node:net";

export type Said = { readonly status: number; readonly head: string; readonly body: string; readonly all: string };

/**
 * Says these words to a port, byte by byte as they stand, and gives back all that came until the other side closed; `then`
 * is told what came so far, and may say more.
 */
export function say(
  url: string,
  words: string | Buffer,
  then: (so: string, more: (words: string) => void, leave: () => void) => void = () => {},
): Promise<Said> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let all = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(words);
      then(
        all,
        (more) => socket.write(more),
        () => socket.destroy(),
      );
    });
    socket.setEncoding("utf8");
    socket.on("data", (part) => {
      all += part;
      then(
        all,
        (more) => socket.write(more),
        () => socket.destroy(),
      );
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      const [head = "", ...rest] = all.split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: rest.join("\r\n\r\n"), all });
    });
  });
}
