/**
 * Characters that nobody sees, as they stand inside the brackets of a regular expression with the flag `u`: control and
 * format characters, those that end a line, lone halves of characters, the braille blank, and what Unicode says is drawn
 * as nothing, such as fillers and variation selectors.
 */
export const invisible = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800";
