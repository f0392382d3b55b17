/**
 * Characters that nobody sees, as they stand inside the brackets of a regular expression with the flag `u`: control and
 * format characters, those that end a line, lone halves of characters, and letters that are drawn as nothing.
 */
export const invisible = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0";
