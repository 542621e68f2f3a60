/** VitePress's default theme with the colors and the front page of this site. */
import DefaultTheme from 'vitepress/theme';

import './style.css';

export default DefaultTheme;
