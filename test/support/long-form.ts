/**
 * How many cases a generated test runs: a few in the plain suite, and all of them in `npm run test:long`, which finds the
 * files that import this.
 */
export function cases({ short, long }: { readonly short: number; readonly long: number }): number {
  return process.env['LONG_FORMS'] === 'yes' ? long : short;
}
