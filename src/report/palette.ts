/** How a text report marks its parts; plain where there is no terminal. */
export interface Palette {
  readonly add: Paint;
  readonly change: Paint;
  readonly remove: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
  readonly warn: Paint;
}

type Paint = (text: string) => string;

const plainly: Paint = (text) => text;

/** No colours. */
export const plain: Palette = {
  add: plainly,
  change: plainly,
  remove: plainly,
  strong: plainly,
  faint: plainly,
  warn: plainly,
};
