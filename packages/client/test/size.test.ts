import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

// A bundler of an application does the same. `npm run check` has no other check of the size.
it('the client has at most 4 kB (4,000 bytes), minified and with gzip', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })

  expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(4_000)
})
