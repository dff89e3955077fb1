import { createServer } from "node:net";

/** This port, or the next that is free: someone may have started a Charter before. */
export async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + 20; port++) if (await isFree(port)) return port;
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
