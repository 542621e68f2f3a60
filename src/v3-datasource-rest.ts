export { RESTDataSource } from './extensions/v3/datasource/rest-data-source.ts';
export type { Body, RequestOptions } from './extensions/v3/datasource/rest-data-source.ts';
export { HTTPCache } from './extensions/v3/datasource/http-cache.ts';
export type { CacheOptions } from './extensions/v3/datasource/http-cache.ts';
export type { Request, Response } from './extensions/v3/datasource/web-classes.ts';
