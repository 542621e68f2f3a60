import { isHeaderField } from '../../shared/index.ts';

/** Throws for an empty list, which would refuse every client, and for headers that requests from other sites have. */
export function assertRequestHeaders(names: readonly string[]): void {
  if (names.length === 0) {
    throw new TypeError(
      'Expected csrfPrevention.requestHeaders to name a header, got an empty list. For the default list write csrfPrevention: true.',
    );
  }
  for (const name of names) {
    if (!isHeaderField(name, '')) {
      throw new TypeError(`Expected csrfPrevention.requestHeaders to be names of HTTP fields, got ${JSON.stringify(name)}.`);
    }
    const key = name.toLowerCase();
    if (!isPreflightHeader(key) && (namesSent.has(key) || formsSent.test(key))) {
      throw new TypeError(
        `csrfPrevention.requestHeaders must not have "${name}": browsers or proxies send it with requests from any page. ` +
          'Name a header that only your clients set, for example "my-app-require-preflight".',
      );
    }
  }
}

/** True for names that say what they are for: no browser and no proxy adds them. */
export function isPreflightHeader(name: string): boolean {
  return /^x-.+-operation-name$|.-require-preflight$/i.test(name);
}

/** Fields that a request from another site may have without a preflight. */
const namesSent: ReadonlySet<string> = /* @__PURE__ */ new Set(
  // Set by browsers only (Fetch standard, "forbidden request-header"); more in the pattern below.
  (
    'accept-charset accept-encoding connection content-length cookie cookie2 date dnt expect host keep-alive origin referer set-cookie te ' +
    'trailer transfer-encoding upgrade via ' +
    // Set by any page (Fetch standard, "CORS-safelisted request-header"; client hints).
    'accept accept-language content-language content-type range device-memory downlink dpr ect rtt save-data viewport-width width ' +
    // Added by browsers: caches, credentials (RFC 7235), EventSource, <a ping>, prefetching, service workers, compression.
    'authorization if-match if-modified-since if-none-match if-range if-unmodified-since cache-control pragma user-agent priority purpose ' +
    'x-purpose x-moz last-event-id ping-from ping-to upgrade-insecure-requests alt-used early-data available-dictionary dictionary-id ' +
    'content-encoding http2-settings ' +
    // Added by proxies and tracing, and not matched by the pattern below.
    'b3 baggage connect-time correlation-context disguised-host front-end-https function-execution-id max-forwards newrelic remote-user request-context ' +
    'ssl-client-verify surrogate-capability total-route-time was-default-hostname x-cdn x-consumer-id x-country x-country-code x-host x-https x-language x-matched-path x-nginx-proxy x-rewrite-url x-scheme x-url-scheme x-varnish'
  ).split(' '),
);

/** Names that standards reserve, and that proxies, clouds, CDNs and tracing use. */
const formsSent: RegExp =
  /^(?:sec-|proxy-|access-control-|attribution-reporting-|service-worker|sw8|l5d-|cdn-|cf-|cloudfront-|fly-|netlify-|rndr-|lambda-runtime-|ot-tracer-|uberctx-|jaeger-|elastic-apm-)|^x-(?:amzn?|appengine|appgw|appservice|arr|azure|b3|cloud|datadog|dynatrace|edge|envoy|fd|geo|goog|google|instana|istio|kong|middleware|ms|netlify|newrelic|nf|now|original|originating|ot|proxy|railway|real|remote|ssl|tls|vercel|waws)-|trace|forwarded|akamai|fastly|(?:client|connecting)-ip$|(?:request|correlation)-id$|^x-request-start$/;
