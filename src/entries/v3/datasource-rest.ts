export { RESTDataSource } from '../../v3/datasource/rest-data-source.ts';
export type { Body, RequestOptions, URLSearchParamsInit } from '../../v3/datasource/rest-data-source.ts';
export { HTTPCache } from '../../v3/datasource/http-cache.ts';
export type { CacheOptions } from '../../datasources/index.ts';

// The names that apollo-datasource-rest exported, as types alone: the values are global, and to export them would load the
// classes into every cold start.

/** The web's `Request`. */
export type Request = globalThis.Request;
/** The web's `Response`. */
export type Response = globalThis.Response;
