/** A text that is a credential as it stands. */
export function whole(text: string): readonly string[] {
  return [text];
}

/** The address of a state or a queue, and the password in it. */
export function credentialsInAddress(text: string): readonly string[] {
  const address = text.trim();
  return address === "" ? [] : [address, ...loginIn(address)];
}

/** The password of a URL, in each spelling of it, and the pair that a Basic header is made of; a user alone is public. */
export function loginIn(text: string): readonly string[] {
  const [, user = "", password = ""] = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^:@/?#]*):(.+)@/is.exec(text) ?? [];
  if (password === "") return [];
  const plain = decoded(password);
  return [password, plain, `${decoded(user)}:${plain}`];
}

/** Headers in the form of OpenTelemetry, `name=value,…`: all of them, each value, and what is behind a scheme in it. */
export function credentialsInHeaders(text: string): readonly string[] {
  const values = text.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  const plain = values.flatMap((value) => [value, decoded(value)]);
  return [text, ...plain, ...plain.flatMap(behindScheme)];
}

/** `Bearer abc` holds `abc`; `Basic …` holds a user and a password besides. */
function behindScheme(value: string): readonly string[] {
  const [, scheme = "", rest = ""] = /^([\w-]+)\s+(.+)$/s.exec(value) ?? [];
  if (scheme.toLowerCase() !== "basic") return [rest];
  const pair = Buffer.from(rest, "base64").toString();
  return [rest, pair, pair.slice(pair.indexOf(":") + 1)];
}

/** The private keys of a PEM file, each with its frame and without; none of a file that has certificates alone. */
export function keysIn(text: string): readonly string[] {
  return [...text.matchAll(privateKey)].flatMap(([block, , body = ""]) => [block, body.replace(/^[\w-]+:.*$/gm, "")]);
}

const privateKey = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----(.*?)-----END \1-----/gs;

/** What a proxy or a collector is told by its own URL; there a user alone is the credential. */
export function loginAtHost(text: string): readonly string[] {
  const [, user = ""] = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^:@/?#]+)@/is.exec(text) ?? [];
  return user === "" ? loginIn(text) : [user, decoded(user)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
