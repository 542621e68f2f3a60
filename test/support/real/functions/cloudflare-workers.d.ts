/** The part of the Workers runtime's module that the functions here use. */
declare module 'cloudflare:workers' {
  export const env: unknown;
}
