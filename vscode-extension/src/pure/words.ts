/**
 * How pure modules say things in the person's language: `vscode.l10n.t` fits, and so does `plain` in tests. And how text
 * of the reviewed code goes into Markdown. Pure. Invariant: nothing in such a text can become a link or a picture.
 */

export type Say = (message: string, ...values: (string | number)[]) => string;

/** English, with `{0}` filled in. */
export const plain: Say = (message, ...values) =>
  message.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)] ?? ''));

/** A text as it is, in Markdown: a file may be named like a picture that lies somewhere on the net. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>!&|~]/g, '\\$&').replace(/\s*\n\s*/g, ' ');
}
