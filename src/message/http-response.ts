import type { HeaderMap } from './header-map.ts';

/** One HTTP response, before a platform gives it its own shape. */
export interface HTTPResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  /** null: no body at all, as for 204 and HEAD. */
  readonly body: string | null;
}

/** The part of the response that `context` and plugins may shape while the operation runs. */
export interface ResponseHead {
  /** Sets the status of the response. Unset: as the outcome of the operation says. */
  status?: number | undefined;
  /** Fields to send. Each `set-cookie` stays a line of its own. */
  readonly headers: HeaderMap;
}
