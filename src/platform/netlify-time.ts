/** Milliseconds that Netlify gives a synchronous function. */
export const netlifyTimeLimit = 60_000;
/** The same in Netlify's local runtimes. */
const localTimeLimit = 30_000;

/** The time limit that goes with the context of a function of the second generation. Other platforms that speak `Request` name none. */
export function netlifyTimeLimitOf(context: unknown): number | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const { deploy, site } = context as { readonly deploy?: unknown; readonly site?: unknown };
  if (typeof deploy !== 'object' || deploy === null || typeof site !== 'object') return undefined;
  return (deploy as { readonly context?: unknown }).context === 'dev' ? localTimeLimit : netlifyTimeLimit;
}
