import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** Programs of one package. */
export interface ProgramSources {
  /** The package's folder. */
  readonly folder: string
  /** The programs, as paths below `sources`, such as `instances/instance.ts`. */
  readonly entries: readonly string[]
  /** The folder of the sources, below `folder`. @default 'src' */
  readonly sources?: string
  /**
   * Whether the bundles contain the imported packages, which halves the time to start.
   * @default true
   */
  readonly isWhole?: boolean
}

/**
 * Bundles programs from the sources of this workspace. A bundle starts faster than the sources do
 * with a TypeScript loader.
 *
 * @returns the folder of the bundles, each at the path of its entry with the ending `.mjs`. The
 *   folder is named after its content, and is never changed or removed while a program runs.
 */
export const bundlePrograms = async ({
  folder,
  entries,
  sources = 'src',
  isWhole = true,
}: ProgramSources): Promise<string> => {
  const source = join(folder, sources)
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => join(source, entry)),
    outbase: source,
    outdir: source,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Less to compile at each start.
    minifyWhitespace: true,
    legalComments: 'none',
    conditions: ['@jwt-auth/source'],
    // CommonJS packages require the modules of Node.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url)",
    },
    plugins: [leaveOut(isWhole ? isUnfit : isForeign)],
  })
  const files = outputFiles.map(({ path, contents }) => ({ path: relative(source, path), contents }))
  const target = join(folder, 'node_modules', '.cache', 'programs', hashOf(files))
  await placeFiles(target, files)
  return target
}

interface BundledFile {
  readonly path: string
  readonly contents: Uint8Array
}

const hashOf = (files: readonly BundledFile[]): string => {
  const hash = createHash('sha256')
  for (const { path, contents } of files) hash.update(`${path} ${contents.length} `).update(contents)
  return hash.digest('hex').slice(0, 16)
}

// Several processes may bundle concurrently. The slower process finds the same files in place, and
// deletes its own.
const placeFiles = async (target: string, files: readonly BundledFile[]): Promise<void> => {
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}`)
  for (const { path, contents } of files) {
    await mkdir(dirname(join(draft, path)), { recursive: true })
    await writeFile(join(draft, path), contents)
  }
  try {
    await rename(draft, target)
  } catch {
    await rm(draft, { recursive: true })
  }
}

// The first three load files relative to their own folder. A bundle loses the names that the last
// one re-exports.
const unfit = ['argon2', 'bcrypt', 'libsql', 'redis']
const isUnfit = (path: string): boolean => unfit.includes(path)
const isForeign = (path: string): boolean => !path.startsWith('@jwt-auth/')

const isBeingResolved = Symbol('is being resolved')

/**
 * Leaves some packages out of the bundle, and imports them by their installed path if they are
 * installed.
 */
const leaveOut = (isLeftOut: (path: string) => boolean): Plugin => ({
  name: 'leave-out',
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (importer === '' || pluginData === isBeingResolved) return undefined
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: isBeingResolved })
      if (found.errors.length > 0) return { path, external: true }
      if (found.external || !isLeftOut(path)) return found
      return { path: kind === 'require-call' ? found.path : pathToFileURL(found.path).href, external: true }
    })
  },
})
