import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles the script of a tab with the client. */
export const buildTab = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page/tab.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  })
  return outputFiles.map(({ text }) => text).join('')
}
