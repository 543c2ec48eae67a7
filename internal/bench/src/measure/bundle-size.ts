import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

/** The size of code that a browser loads, in bytes. */
export interface BundleSize {
  readonly minified: number
  readonly gzip: number
}

const folder = fileURLToPath(new URL('../../', import.meta.url))

/** Bundles and minifies code for browsers. */
export const bundleForBrowsers = async (input: BuildOptions): Promise<Uint8Array> => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'error',
    ...input,
  })
  const [file] = outputFiles ?? []
  if (file === undefined) throw new Error('The bundle is empty.')
  return file.contents
}

/**
 * Measures what a module adds to a page.
 *
 * @param code a module, such as `export { Auth0Client } from '@auth0/auth0-spa-js'`
 */
export const measureBundle = async (code: string): Promise<BundleSize> => {
  const contents = await bundleForBrowsers({ stdin: { contents: code, resolveDir: folder } })
  return { minified: contents.length, gzip: gzipSync(contents, { level: 9 }).length }
}
