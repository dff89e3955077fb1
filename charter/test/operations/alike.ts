/**
 * A value as JSON, in which what chance has made is the same: ids, secrets and codes of this very moment. How
 * long it took and which tokens were used is not looked at.
 */
export function alike<Value>(value: Value): Value {
  const json = JSON.stringify(value, (name, one) => (name === "tookMs" || name === "lastUsedAt" ? 0 : one));
  return json === undefined ? value : (JSON.parse(withoutChance(json)) as Value);
}

function withoutChance(json: string): string {
  const now = Date.now().toString(36).padStart(9, "0");
  return (
    json
      .replaceAll(new RegExp(`\\b${now}[0-9a-z]{8}\\b`, "g"), "<id>")
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>")
      .replaceAll(/\bcharter_[\w-]{20,}/g, "<secret>")
      .replaceAll(/#[\w-]{20,}"/g, '#<secret>"')
      // Where the server is: a command is told that by its settings.
      .replaceAll(/"(?:https?:\/\/[\w.:]+)?(\/chat[\w/]*#)/g, '"<server>$1')
      .replaceAll(/"code":"[0-9A-Z]{8}"/g, '"code":"<code>"')
  );
}
