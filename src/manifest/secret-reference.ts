import { schemeOf } from "../model/secret-scheme.ts";
import { isTemplate, referencesOf } from "./template.ts";

/** What a reference may be, in words. */
const referenceForms = "env:NAME, file:PATH or PROVIDER:NAME";

/**
 * What is wrong with the text of a reference, in a sentence that does not repeat it: it may be a secret that somebody
 * wrote in the wrong place. What is to be interpolated is judged as far as it can be.
 */
export function referenceFault(text: string): string | undefined {
  if (isTemplate(schemeOf(text).scheme)) return "the part before the colon is not interpolated";
  const whole = referencesOf(text).length > 0 ? filled(text) : text;
  if (!form.test(whole) || /\p{Cc}/u.test(whole)) return `expected ${referenceForms}`;
  if (ownVariable.test(whole)) return "Evenkeel's own token and key must not be sent to an integration";
  return undefined;
}

/**
 * A provider's name begins neither with `//`, so that an address that stands where its name belongs is not taken for a
 * reference and printed, nor with `-`, so that no command takes it for an option.
 */
const form = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^\s].*|(?!env:|file:|manifest:)[a-z][a-z0-9_-]*:(?!\/\/|-)\S.*)$/;

/** Settings of Evenkeel itself, the access token and the ledger's key among them: no manifest may have them sent anywhere. */
const ownVariable =
  /^env:EVENKEEL_(?:TOKEN|TOKEN_FILE|LEDGER_KEY|STATE|STATE_FILE|QUEUE|HOOK_SECRET|HOOK_SECRET_FILE)$/i;

/** With a letter for each interpolation, which may stand anywhere in a name. */
function filled(text: string): string {
  return text.replaceAll("$${", "${").replace(/\$\{[^}]*\}?/g, "x");
}

/**
 * Whether a project's path can stand in a reference. Who names projects would else choose a file or an argument that
 * nobody meant: platforms allow no other characters either.
 */
export function isPlainPath(path: string): boolean {
  return path.split("/").every((part) => /^[A-Za-z0-9_.][\w.-]*$/.test(part) && !/^\.+$/.test(part));
}
