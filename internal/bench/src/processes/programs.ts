import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../', import.meta.url))

/** A file that exports a `contender`. */
export interface ContenderFile {
  /** The file's name without its ending: how the command line and tables of ratios call it. */
  readonly name: string
  /** Its bundle, for a program to import. */
  readonly path: string
}

/** The bundled programs, and the contenders they can load. */
export interface Programs {
  readonly load: string
  readonly operations: string
  readonly server: string
  /** The contenders of a folder below `src/contenders`, by name. Throws for a folder that is not there. */
  readonly contendersOf: (group: string) => readonly ContenderFile[]
  /** Throws where one of these is no contender's name in any folder. */
  readonly refuseUnknown: (names: readonly string[]) => void
}

/** Bundles every program and every contender: a file in a folder of `src/contenders` is a contender. */
export const bundleAll = async (): Promise<Programs> => {
  const files = await readdir(join(folder, 'src', 'contenders'), { recursive: true })
  const contenders = files.filter((file) => /^[a-z-]+\/[a-z0-9-]+\.ts$/.test(file)).sort()
  const entries = ['processes/load.ts', 'processes/operations.ts', 'processes/server.ts']
  const bundled = await bundlePrograms({
    folder,
    entries: [...entries, ...contenders.map((file) => `contenders/${file}`)],
    // What is measured loads its packages as they are installed.
    isWhole: false,
  })
  const bundleOf = (entry: string): string => join(bundled, entry.replace(/\.ts$/, '.mjs'))
  return {
    load: bundleOf('processes/load.ts'),
    operations: bundleOf('processes/operations.ts'),
    server: bundleOf('processes/server.ts'),
    contendersOf: (group) => {
      const found = contenders.filter((file) => file.startsWith(`${group}/`))
      if (found.length === 0) throw new Error(`There are no contenders in src/contenders/${group}.`)
      return found.map((file) => ({ name: nameOf(file), path: bundleOf(`contenders/${file}`) }))
    },
    refuseUnknown: (names) => {
      const known = new Set(contenders.map(nameOf))
      const unknown = names.find((name) => !known.has(name))
      if (unknown === undefined) return
      throw new Error(`There is no contender ${unknown}; there are ${[...known].sort().join(', ')}.`)
    },
  }
}

const nameOf = (file: string): string => basename(file, '.ts')
