/**
 * The number of cases that a generated test runs: a few in the plain suite, and more in `npm run test:long`, which finds the files that
 * import this module and takes about a minute for each. `LONG_FORM_FACTOR=10` multiplies the number.
 */
export function cases({ short, long }: { readonly short: number; readonly long: number }): number {
  if (process.env['LONG_FORMS'] !== 'yes') return short;
  return Math.round(long * Number(process.env['LONG_FORM_FACTOR'] ?? 1));
}
