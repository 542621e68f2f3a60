import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';

/** A call that keeps the function warm. It is answered like a health check, but only with a status. */
export const ping: PlatformAdapter<UnknownEvent, { statusCode: number }> = {
  name: 'warm-up ping',
  recognizes: (event) => Object.keys(event).length === 0 || isWarmUp(event) || isSchedule(event),
  toRequest: pingRequest,
  toResult: (response) => ({ statusCode: response.status }),
};

/** The request for a ping. Also for a scheduled invocation on Netlify, which is a POST with a header of Netlify. */
export function pingRequest(): HTTPRequest {
  return { method: 'GET', path: '/health', queryString: '', headers: new HeaderMap(), body: { kind: 'none' } };
}

/** Any client can send this header, so a request that has it must not run an operation. */
export function isNetlifySchedule(headers: HeaderMap): boolean {
  return headers.get('x-nf-event') === 'schedule';
}

/** The events of serverless-plugin-warmup, lambda-warmer and custom warmers. */
function isWarmUp(event: UnknownEvent): boolean {
  return event['source'] === 'serverless-plugin-warmup' || event['warmer'] === true || event['warmup'] === true || event['ping'] === true;
}

/** EventBridge rules and Netlify's scheduled functions. */
function isSchedule(event: UnknownEvent): boolean {
  return event['detail-type'] === 'Scheduled Event' || (Object.keys(event).length === 1 && 'next_run' in event);
}
