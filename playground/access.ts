import { MONACO_THEME_DATA } from '../node_modules/@graphiql/react/dist/constants.js';

/** Comments, numbers and line numbers in the editors' themes have less contrast than WCAG 2 asks for (AA). GraphiQL defines them later. */
export function addContrast(): void {
  const { light, dark } = MONACO_THEME_DATA;
  light.rules.push({ token: 'comment', foreground: '#1f6f1f' }, { token: 'number', foreground: '#06704a' });
  Object.assign(light.colors, { 'editorLineNumber.foreground': '#1d667e', 'editorLineNumber.dimmedForeground': '#5c6a87' });
  dark.rules.push({ token: 'comment', foreground: '#8fb874' });
  Object.assign(dark.colors, { 'editorLineNumber.foreground': '#a3aebf', 'editorLineNumber.dimmedForeground': '#9aa6bd' });
}

/**
 * Completes the elements that the explorer creates: its fields and arguments can be reached and pressed by keyboard, its select has a name,
 * and without a schema it says what to do.
 */
export function watchExplorer(root: Element): void {
  const complete = (): void => {
    for (const item of root.querySelectorAll<HTMLElement>(pressable)) {
      item.tabIndex = 0;
      item.role = 'button';
      item.addEventListener('keydown', (event) => {
        if (event.target !== item || (event.key !== 'Enter' && event.key !== ' ')) return;
        event.preventDefault();
        item.click();
      });
    }
    for (const select of root.querySelectorAll('.docExplorerWrap form > select:not([aria-label])'))
      select.setAttribute('aria-label', 'The kind of operation to add');
    for (const empty of root.querySelectorAll('.docExplorerWrap .error-container'))
      if (empty.textContent !== withoutSchema) empty.textContent = withoutSchema;
  };
  complete();
  new MutationObserver(complete).observe(root, { childList: true, subtree: true });
}

const withoutSchema =
  'The server has not sent its schema. If it needs a header, write it at "Headers", such as { "authorization": "Bearer …" }.';

/** What the explorer listens to: a field, the name of an argument, a fragment. */
const pressable = '.docExplorerWrap span[style*="cursor: pointer"]:not([data-arg-name], [tabindex])';
