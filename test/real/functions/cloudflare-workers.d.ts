/** The module of the Workers runtime, as far as the functions here use it. */
declare module 'cloudflare:workers' {
  export const env: unknown;
}
