import type { ApolloServerPlugin, InternalPlugin } from '../types.ts';

/** Options of {@link ApolloServerPluginLandingPageLocalDefault} and {@link ApolloServerPluginLandingPageProductionDefault}. */
export interface ApolloServerPluginLandingPageDefaultOptions {
  /** The version of the page. Default: the latest. */
  readonly version?: string;
  readonly footer?: boolean;
  readonly document?: string;
  readonly variables?: Record<string, any>;
  readonly headers?: Record<string, string>;
  readonly includeCookies?: boolean;
  readonly graphRef?: string;
  readonly embed?: boolean | object;
  // Any: the page reads undocumented options.
  readonly [key: string]: any;
}

/** The options that both pages have. */
export type ApolloServerPluginLandingPageDefaultBaseOptions = ApolloServerPluginLandingPageDefaultOptions;
/** Options of {@link ApolloServerPluginLandingPageLocalDefault}. */
export type ApolloServerPluginLandingPageLocalDefaultOptions = ApolloServerPluginLandingPageDefaultOptions;
/** Options of {@link ApolloServerPluginLandingPageProductionDefault}. */
export type ApolloServerPluginLandingPageProductionDefaultOptions = ApolloServerPluginLandingPageDefaultOptions;

/** Options of {@link ApolloServerPluginLandingPageGraphQLPlayground}. */
export interface ApolloServerPluginLandingPageGraphQLPlaygroundOptions {
  /** The version of graphql-playground-react. Default: "1.7.42". */
  readonly version?: string;
  readonly title?: string;
  readonly endpoint?: string;
  readonly settings?: Record<string, any>;
  readonly tabs?: readonly object[];
  readonly cdnUrl?: string;
  readonly [key: string]: any;
}

const implicit = new WeakSet<object>();

/** True for the plugin that the server added, whose page is used only without another. */
export function isImplicitLandingPage(plugin: object): boolean {
  return implicit.has(plugin);
}

/** The page that a server shows in development when no plugin has one. */
export function implicitLandingPage(): ApolloServerPlugin {
  const plugin = ApolloServerPluginLandingPageLocalDefault();
  implicit.add(plugin);
  return plugin;
}

/** Apollo's page with the Sandbox, loaded from Apollo's CDN. */
export function ApolloServerPluginLandingPageLocalDefault(options: ApolloServerPluginLandingPageDefaultOptions = {}): ApolloServerPlugin {
  return pagePlugin(() => defaultPage({ isProd: false, ...options }));
}

/** Apollo's page for production, loaded from Apollo's CDN. */
export function ApolloServerPluginLandingPageProductionDefault(
  options: ApolloServerPluginLandingPageDefaultOptions = {},
): ApolloServerPlugin {
  return pagePlugin(() => defaultPage({ isProd: true, ...options }));
}

/** The GraphQL Playground, loaded from a CDN. */
export function ApolloServerPluginLandingPageGraphQLPlayground(
  options: ApolloServerPluginLandingPageGraphQLPlaygroundOptions = {},
): ApolloServerPlugin {
  return pagePlugin(() => playgroundPage(options));
}

/** No page, not even in development. */
export function ApolloServerPluginLandingPageDisabled(): ApolloServerPlugin & InternalPlugin {
  return { __internal_plugin_id__: () => 'LandingPageDisabled' };
}

function pagePlugin(render: () => string): ApolloServerPlugin {
  return { serverWillStart: async () => ({ renderLandingPage: async () => ({ html: render() }) }) };
}

function defaultPage({ version = '_latest', ...config }: ApolloServerPluginLandingPageDefaultOptions): string {
  const cdn = `https://apollo-server-landing-page.cdn.apollographql.com/${encodeURIComponent(version)}`;
  const { embed, graphRef, document, variables, headers, includeCookies = false } = config;
  if (!embed) {
    // The page decodes it. Percent-encoded, no option can end the script.
    const encoded = JSON.stringify(encodeURIComponent(JSON.stringify(config)));
    return page('Apollo Server', `<script>window.landingPage = ${encoded};</script>\n<script src="${cdn}/static/js/main.js"></script>`);
  }
  const [host, file, className] = graphRef
    ? ['embeddable-explorer', 'embeddable-explorer', 'EmbeddedExplorer']
    : ['embeddable-sandbox', 'embeddable-sandbox', 'EmbeddedSandbox'];
  const initialState = graphRef ? { ...config, displayOptions: {} } : { document, variables, headers };
  const settings = graphRef ? { ...config, initialState, target: '#embedded' } : { initialState, includeCookies, target: '#embedded' };
  return page(
    'Apollo Server',
    `<div id="embedded" style="width: 100vw; height: 100vh; position: absolute; top: 0"></div>
<script src="https://${host}.cdn.apollographql.com/${encodeURIComponent(version)}/${file}.umd.production.min.js"></script>
<script>new window.${className}({ ...${inScript(settings)}, endpointUrl: location.href, initialEndpoint: location.href });</script>`,
  );
}

function playgroundPage({
  version = '1.7.42',
  cdnUrl = 'https://cdn.jsdelivr.net/npm',
  ...options
}: ApolloServerPluginLandingPageGraphQLPlaygroundOptions): string {
  const files = `${attribute(cdnUrl)}/@apollographql/graphql-playground-react@${encodeURIComponent(version)}/build`;
  return page(
    options.title ?? 'GraphQL Playground',
    `<link rel="stylesheet" href="${files}/static/css/index.css">
<script src="${files}/static/js/middleware.js"></script>
<script>addEventListener('load', () => GraphQLPlayground.init(document.getElementById('root'), ${inScript(options)}));</script>`,
  );
}

function page(title: string, content: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${attribute(title)}</title></head>
<body style="margin: 0">
<noscript>You need to enable JavaScript to run this app.</noscript>
<div id="root"></div><div id="react-root"></div>
${content}
</body>
</html>
`;
}

/** JSON for a script element, which no text in it can end. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function attribute(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
