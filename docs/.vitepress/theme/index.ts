import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import { FiveSteps } from './five-steps.js'
import { SequenceDiagram } from './sequence-diagram.js'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': FiveSteps }),
  enhanceApp: ({ app }) => {
    app.component('SequenceDiagram', SequenceDiagram)
  },
} satisfies Theme
