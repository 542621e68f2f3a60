/** The platforms that the dev server stands in for. `netlify` goes by the exports of a function. */
export const devPlatforms = ['netlify', 'netlify-v1', 'aws-http', 'aws-rest', 'function-url', 'alb', 'fetch'] as const;
export type DevPlatform = (typeof devPlatforms)[number];

/** How functions are called. */
export interface PlatformSettings {
  readonly platform: DevPlatform;
  /** API Gateway's stage, the first segment of the path. Undefined: none. */
  readonly stage?: string | undefined;
  /** Milliseconds that a function may take. Undefined: it is told the platform's own limit, and none is kept. */
  readonly timeout?: number | undefined;
}
