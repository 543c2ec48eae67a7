import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { Subject } from '../model/world.js'
import type { PlantedBug } from './planted-bug.js'

const packagesFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** Builds core and the memory storage with a bug in them. Throws when a piece to replace is not there exactly once. */
export const buildSubject = async (bug: PlantedBug): Promise<Subject> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-planted-'))
  try {
    const outfile = join(folder, 'subject.mjs')
    await build({
      stdin: {
        contents: `export { createTokenService } from '@jwt-auth/core'; export { memoryStorage } from '@jwt-auth/storage-memory'`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      conditions: ['@jwt-auth/source'],
      plugins: [plant(bug), leaveInstalledPackages],
      logLevel: 'silent',
    })
    // The bundle exports what the lines above name.
    const built = (await import(pathToFileURL(outfile).href)) as BuiltSubject
    return {
      createTokenService: built.createTokenService,
      createStorage: () => built.memoryStorage({ quiet: true }),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface BuiltSubject {
  readonly createTokenService: Subject['createTokenService']
  readonly memoryStorage: (options: { readonly quiet: boolean }) => ReturnType<Subject['createStorage']>
}

const plant = ({ name, file, edits }: PlantedBug): Plugin => ({
  name: 'plant',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path !== join(packagesFolder, ...file.split('/'))) return undefined
      const source = await readFile(path, 'utf8')
      const contents = edits.reduce((text, [piece, instead]) => {
        const [before, after, ...more] = text.split(piece)
        if (before === undefined || after === undefined || more.length > 0) {
          throw new Error(`“${name}”: “${piece}” is not there exactly once in ${file}.`)
        }
        return `${before}${instead}${after}`
      }, source)
      return { contents, loader: 'ts' }
    })
  },
})

/** Installed packages are loaded as they are, by their place: the bundle stands in a folder of its own. */
const leaveInstalledPackages: Plugin = {
  name: 'leave installed packages',
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === 'asked' || path.startsWith('@jwt-auth/') || path.startsWith('node:')) return undefined
      const found = await resolve(path, { resolveDir, kind, pluginData: 'asked' })
      return found.path.includes(`${sep}node_modules${sep}`)
        ? { path: pathToFileURL(found.path).href, external: true }
        : found
    })
  },
}
