import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { SequenceDiagram } from './sequence-diagram.js'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('SequenceDiagram', SequenceDiagram)
  },
} satisfies Theme
