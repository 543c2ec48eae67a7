import { mkdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** A mistake in the adapter: a text of one source file, and the text that replaces it. */
export interface SourceFault {
  readonly file: 'lmdb-storage.ts' | 'session-rows.ts' | 'transactions.ts'
  readonly find: string
  readonly replace: string
}

const folder = new URL('../../', import.meta.url)

/**
 * Bundles the adapter and the programs of the child processes, with a fault if there is one. Resolves to the folder of the bundles. A
 * bundle runs without a TypeScript loader.
 */
export const bundleAdapter = async (name: string, faults: readonly SourceFault[] = []): Promise<URL> => {
  const target = new URL(`node_modules/.cache/bundles/${name}/`, folder)
  await mkdir(target, { recursive: true })
  await build({
    absWorkingDir: fileURLToPath(folder),
    entryPoints: ['src/lmdb-storage.ts', 'test/support/storage-process.ts', 'test/support/hold-process.ts'],
    entryNames: '[name]',
    outdir: fileURLToPath(target),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@jwt-auth/source'],
    external: ['lmdb'],
    plugins: [plant(faults)],
  })
  return target
}

const plant = (faults: readonly SourceFault[]): Plugin => ({
  name: 'plant',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const own = faults.filter(({ file }) => path === fileURLToPath(new URL(`src/${file}`, folder)))
      const contents = own.reduce(replaceOnce, await readFile(path, 'utf8'))
      return { contents, loader: 'ts' }
    })
  },
})

const replaceOnce = (contents: string, { file, find, replace }: SourceFault): string => {
  const [before, after, ...others] = contents.split(find)
  if (after !== undefined && others.length === 0) return `${before}${replace}${after}`
  throw new Error(`${file} must contain this text once: ${find}`)
}
