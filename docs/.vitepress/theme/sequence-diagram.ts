import { useData } from 'vitepress'
import { defineComponent, h, onMounted, ref, watch } from 'vue'

/** Draws a diagram in Mermaid's language, in the colors of the theme. */
export const SequenceDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup: ({ source }) => {
    const { isDark } = useData()
    const drawing = ref('')
    const draw = async (): Promise<void> => {
      const { default: mermaid } = await import('mermaid')
      mermaid.initialize({ theme: isDark.value ? 'dark' : 'neutral', fontFamily: 'inherit' })
      const { svg } = await mermaid.render(`diagram-${crypto.randomUUID()}`, decodeURIComponent(source))
      drawing.value = svg
    }
    onMounted(() => watch(isDark, draw, { immediate: true }))
    return () => h('figure', { class: 'diagram', innerHTML: drawing.value })
  },
})
