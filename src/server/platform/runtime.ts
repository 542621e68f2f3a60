let known: string | undefined;

/** The name of the runtime: "Node.js", "Deno", "Bun", "Cloudflare-Workers". Empty if it is unknown. */
export function runtime(): string {
  return (known ??= (globalThis.navigator?.userAgent ?? '').split('/', 1)[0]!);
}
