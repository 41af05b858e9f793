/** How pure modules say things in the person's language: `vscode.l10n.t` fits, and so does `plain` in tests. */

export type Say = (message: string, ...values: (string | number)[]) => string;

/** English, with `{0}` filled in. */
export const plain: Say = (message, ...values) =>
  message.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)] ?? ''));
