/**
 * The number of cases that a generated test runs: a few in `npm test`, and more in `npm run test:slow`, which runs the files of
 * test/contract/generated again. `LONG_FORM_FACTOR=10` multiplies the number.
 */
export function cases({ short, long }: { readonly short: number; readonly long: number }): number {
  if (process.env['LONG_FORMS'] !== 'yes') return short;
  return Math.round(long * Number(process.env['LONG_FORM_FACTOR'] ?? 1));
}
