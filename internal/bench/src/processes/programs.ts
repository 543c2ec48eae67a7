import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../', import.meta.url))

/** A file that exports a `contender`. */
export interface ContenderFile {
  /** The name of the file without its ending. The command line uses it. */
  readonly name: string
  /** The path of its bundle, which a program imports. */
  readonly path: string
}

/** The bundled programs and contenders. */
export interface Programs {
  readonly load: string
  readonly operations: string
  readonly server: string
  /** Returns the contenders of a folder in `src/contenders`, sorted by name. Throws for an unknown folder. */
  readonly contendersOf: (group: string) => readonly ContenderFile[]
  /** Throws when one of the names is no contender. */
  readonly requireKnown: (names: readonly string[]) => void
}

/** Bundles every program and every contender: a file in a folder of `src/contenders` is a contender. */
export const bundleAll = async (): Promise<Programs> => {
  const files = await readdir(join(folder, 'src', 'contenders'), { recursive: true })
  const contenders = files.filter((file) => /^[a-z-]+\/[a-z0-9-]+\.ts$/.test(file)).sort()
  const entries = ['processes/load.ts', 'processes/operations.ts', 'processes/server.ts']
  const bundled = await bundlePrograms({
    folder,
    entries: [...entries, ...contenders.map((file) => `contenders/${file}`)],
    // Contenders load their packages in installed form, from `node_modules`.
    isWhole: false,
  })
  const bundleOf = (entry: string): string => join(bundled, entry.replace(/\.ts$/, '.mjs'))
  return {
    load: bundleOf('processes/load.ts'),
    operations: bundleOf('processes/operations.ts'),
    server: bundleOf('processes/server.ts'),
    contendersOf: (group) => {
      const found = contenders.filter((file) => file.startsWith(`${group}/`))
      if (found.length === 0) throw new Error(`src/contenders/${group} has no contenders.`)
      return found.map((file) => ({ name: nameOf(file), path: bundleOf(`contenders/${file}`) }))
    },
    requireKnown: (names) => {
      const known = new Set(contenders.map(nameOf))
      const unknown = names.find((name) => !known.has(name))
      if (unknown === undefined) return
      throw new Error(`Unknown contender ${unknown}. The contenders are ${[...known].sort().join(', ')}.`)
    },
  }
}

const nameOf = (file: string): string => basename(file, '.ts')
