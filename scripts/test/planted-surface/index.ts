export { type Shown, show } from './shown.js'
