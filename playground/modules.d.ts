// What comes without types: styles, and workers that are run for what they do.
declare module '*.css' {}
/** Not among the exports of @graphiql/react. */
declare module '*/@graphiql/react/dist/constants.js' {
  interface ThemeData {
    readonly rules: { readonly token: string; readonly foreground: string }[];
    readonly colors: Record<string, string>;
  }
  export const MONACO_THEME_DATA: { readonly light: ThemeData; readonly dark: ThemeData };
}
declare module 'monaco-editor/esm/vs/editor/editor.worker.js' {}
declare module 'monaco-editor/esm/vs/language/json/json.worker.js' {}
