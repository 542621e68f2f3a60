// This module is preloaded. It resolves undici from another folder.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const parentURL = pathToFileURL(join(process.env['UNDICI_FOLDER']!, 'index.js')).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier, /^undici(?:$|\/)/.test(specifier) ? { ...context, parentURL } : context),
});
