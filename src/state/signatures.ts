const block = /-----BEGIN SSH SIGNATURE-----[\s\S]*?-----END SSH SIGNATURE-----\n?/g;

/** The armored signatures of a text, in their order. */
export function signaturesIn(text: string): readonly string[] {
  return (text.match(block) ?? []).map((each) => `${each.trimEnd()}\n`);
}
