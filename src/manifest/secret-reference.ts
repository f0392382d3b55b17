import { schemeOf } from "../model/secret-scheme.ts";
import { isTemplate, referencesOf } from "./template.ts";

/** Description of valid references, for messages. */
const referenceForms = "env:NAME, file:PATH or PROVIDER:NAME";

/**
 * An error message for a reference that is not valid. It never quotes the reference, which may be a secret in the wrong
 * field. References with interpolations are checked as far as possible.
 */
export function referenceFault(text: string): string | undefined {
  if (isTemplate(schemeOf(text).scheme)) return "the part before the colon is not interpolated";
  const whole = referencesOf(text).length > 0 ? filled(text) : text;
  if (!form.test(whole) || /\p{Cc}/u.test(whole)) return `expected ${referenceForms}`;
  if (ownVariable.test(whole)) return "Evenkeel's own token and key must not be sent to an integration";
  return undefined;
}

/**
 * What follows the provider must not start with `//`, because a URL must not be mistaken for a reference and printed, nor
 * with `-`, because a command could interpret it as an option.
 */
const form = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^\s].*|(?!env:|file:|manifest:)[a-z][a-z0-9_-]*:(?!\/\/|-)\S.*)$/;

/** Evenkeel's own settings, including the access token and the ledger's key. No manifest may send them anywhere. */
const ownVariable =
  /^env:EVENKEEL_(?:TOKEN|TOKEN_FILE|LEDGER_KEY|STATE|STATE_FILE|QUEUE|HOOK_SECRET|HOOK_SECRET_FILE)$/i;

/** Replaces each interpolation with a letter, which is valid anywhere in a name. */
function filled(text: string): string {
  return text.replaceAll("$${", "${").replace(/\$\{[^}]*\}?/g, "x");
}

/**
 * Whether a project's path may be interpolated into a reference. Otherwise the name of a project could select another file
 * or argument. Platforms do not allow other characters either.
 */
export function isPlainPath(path: string): boolean {
  return path.split("/").every((part) => /^[A-Za-z0-9_.][\w.-]*$/.test(part) && !/^\.+$/.test(part));
}
