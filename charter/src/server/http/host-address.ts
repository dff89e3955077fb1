/** The address at which this machine reaches a server that listens on a host: one that listens on all is at `localhost`. */
export function hostUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
