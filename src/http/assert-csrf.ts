import { isHeaderField } from '../message/header-fields.ts';

/** Throws for a list of headers that would let in every page of another site, or none. */
export function assertRequestHeaders(names: readonly string[]): void {
  for (const name of names) {
    const key = name.toLowerCase();
    if (!isHeaderField(name, '')) {
      throw new TypeError(`Expected csrfPrevention.requestHeaders to be names of HTTP fields, got ${JSON.stringify(name)}.`);
    }
    if (sentByBrowsers.includes(` ${key} `) || prefixesSent.test(key)) {
      throw new TypeError(
        `csrfPrevention.requestHeaders must not have "${name}": browsers, or proxies, send it with every request, whatever page sent it. ` +
          'Name one that only your clients set, for example "x-my-app".',
      );
    }
  }
}

/**
 * Fields that come with a request although the page that sends it has not been allowed to set any: those that browsers add
 * themselves, those that a page may set without a preflight (Fetch standard, "CORS-safelisted request-header"), and those that
 * load balancers and CDNs add.
 */
const sentByBrowsers =
  ' accept accept-charset accept-encoding accept-language cache-control connection content-language content-length ' +
  'content-type cookie date dnt expect host if-match if-modified-since if-none-match if-range if-unmodified-since ' +
  'keep-alive origin pragma priority purpose range referer save-data te trailer transfer-encoding upgrade ' +
  'upgrade-insecure-requests user-agent via width viewport-width device-memory downlink dpr ect rtt forwarded ' +
  'traceparent tracestate true-client-ip cdn-loop x-real-ip x-request-id x-correlation-id x-client-ip x-country ' +
  'x-language ';
const prefixesSent = /^(?:sec-|proxy-|x-forwarded-|x-amzn-|x-amz-cf-|cloudfront-|cf-|x-nf-|x-vercel-|x-envoy-|fly-|x-azure-)/;
