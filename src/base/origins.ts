/** What stands in a list of origins for an address that programs may understand in several ways. */
const unclear = "?";

/** Longer texts, and texts with more addresses, are no settings that anybody reads: they are unclear as a whole. */
const longestText = 10_000;
/** More of them are not distinguished. */
const mostAddresses = 10;

/**
 * Where the addresses in a text lead: `https://wiki.example.com`, `http://10.0.0.1:8080`, `//example.com` where it says
 * no scheme; each once. Names are in lower case and in ASCII, without a user, a default port of https, or a dot at the
 * end. `?` stands for what is unclear, so that a rule that asks for known origins objects to it.
 */
export function originsIn(text: string): readonly string[] {
  if (text.length > longestText) return [unclear];
  const found = new Set<string>();
  for (const written of textsIn(text)) {
    for (const token of written.split(separators)) for (const origin of originsOfToken(token)) found.add(origin);
    if (found.size > mostAddresses) return [unclear];
  }
  if (found.size > 0 && /[\\\p{Cc}\p{Cf}]/u.test(text.trim())) found.add(unclear);
  return [...found];
}

/** The hosts of {@link originsIn}, without scheme and port. */
export function hostsIn(text: string): readonly string[] {
  const hosts = originsIn(text).map((origin) => origin.replace(/^[^/]*\/\//, "").replace(/:\d+$/, ""));
  return [...new Set(hosts)];
}

const separators = /[\s,;|"'<>]+/u;

/** As it is, and without what browsers and libraries leave out: line breaks, tabs and characters that no one sees. */
function textsIn(text: string): readonly string[] {
  const visible = text.replace(/[\p{Cc}\p{Cf}]/gu, "");
  return visible === text ? [text] : [text, visible];
}

/** A scheme, or two slashes that follow none: an address begins there, also within another one. */
const beginnings = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:)?[/\\]{2,}|(?<![a-z0-9+.-])(https?|wss?|ftp):/giu;

function originsOfToken(token: string): readonly string[] {
  const starts = [...token.matchAll(beginnings)].slice(0, mostAddresses + 1);
  const isPlain = starts.length === 0 || (starts[0]?.index ?? 0) > 0;
  const bare = isPlain ? bareOrigin(token) : [];
  return [...bare, ...starts.map(({ index, 0: opening }) => originAt(token.slice(index + opening.length), opening))];
}

/** `evil.net/path`, `10.0.0.1`, `localhost:8080`: a name with dots, or with a port, and no scheme. */
function bareOrigin(token: string): readonly string[] {
  const [authority = ""] = token.split(/[/\\?#]/u, 1);
  const isMail = authority.includes("@") && authority === token;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const isName = /^[^:@]*[^:@.][.。．｡][^:@.\d][^:@.]*\.?(:\d+)?$/u.test(host) || /^[^:@]+:\d+$/u.test(host);
  const isNumber = /^\d+(\.\d+){3}(:\d+)?$/.test(host) || host.startsWith("[");
  return !isMail && (isName || isNumber) ? [originAt(token, "")] : [];
}

/** `rest` is what follows the scheme and its slashes. */
function originAt(rest: string, opening: string): string {
  const scheme = opening.replace(/[/\\]+$/u, "").toLowerCase();
  const [authority = ""] = rest.replace(/^[/\\]+/u, "").split(/[/\\?#]/u, 1);
  try {
    const { hostname, port } = new URL(`https://${authority}`);
    const host = hostname.replace(/\.+$/, "");
    return host === "" ? unclear : `${scheme}//${host}${port && `:${port}`}`;
  } catch {
    return unclear;
  }
}
