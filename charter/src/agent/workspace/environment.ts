import type { Environment } from "../../delivery/models/provider.ts";
import { chainKeyVariable } from "../../sources/core-memory/key-source.ts";

/** A word of the name says so (`GITHUB_TOKEN`, `SECRET_KEY_BASE`, `SMTP_PASS`), or its end (`PGPASSWORD`, `GH_PAT`). */
const secretName =
  /(?:^|_)(?:KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSPHRASE|CREDENTIALS?|JWT)(?:_|$)|(?:APIKEY|PRIVATEKEY|TOKEN|SECRET|PASSWORD|PASSWD|_PWD|_AUTH|_PAT)$/i;
/** An address with a password in it, or with a token in a name's place. A proxy's is left alone: without it nothing can be reached. */
const secretValue = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:|https?:\/\/)[^/\s@]+@/i;
/** A secret key of Nostr or of a chain, or what may be one, whatever its variable is called. It is handed to nobody. */
const secretKey = /nsec1[02-9ac-hj-np-z]{58}|^\s*(?:0x)?[0-9a-f]{64}\s*$/i;

/**
 * What a command is given of the environment: all but what looks like a secret, so that neither the keys of models nor
 * a database's password can be printed. `passed` names those it needs all the same; no key of Nostr or of a chain is among them.
 *
 * It keeps secrets from being told by accident. It is no wall: a command can read files, too.
 */
export function commandEnvironment(env: Environment, passed: readonly string[] = []): Environment {
  const isSecret = (name: string, value: string) =>
    secretName.test(name) || (secretValue.test(value) && !/_proxy$/i.test(name));
  const isKey = (name: string, value: string) => name === chainKeyVariable || secretKey.test(value);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value = ""]) => !isKey(name, value) && (passed.includes(name) || !isSecret(name, value)),
    ),
  );
}
