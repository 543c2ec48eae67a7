import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../../', import.meta.url))

/** Bundles the examples for browsers. Returns the function that serves their pages. */
export const bundlePages = async (): Promise<RequestListener> => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: {
      react: 'src/react.tsx',
      'tanstack-query': 'src/tanstack-query.tsx',
      vue: 'src/vue.ts',
      client: '@jwt-auth/client',
    },
    outdir: 'bundles',
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    conditions: ['@jwt-auth/source'],
    // The example has its template in a string, which this build of Vue compiles.
    alias: { vue: 'vue/dist/vue.esm-bundler.js' },
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  })
  const files = new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]))
  const plain = await readFile(`${folder}src/plain.html`, 'utf8')

  return ({ url = '' }, res) => {
    const script = files.get(url)
    if (script !== undefined) return res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script)
    const page = `<!doctype html><html lang="en"><title>Reports</title><script type="module" src="${url}.js"></script>`
    return res.writeHead(200, { 'Content-Type': 'text/html' }).end(url === '/plain' ? plain : page)
  }
}
