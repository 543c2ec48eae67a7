import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AdapterUnderTest } from '../conformance-case.js'
import { describeFailure } from '../format-report.js'

/**
 * Imports the module at a path relative to the working directory. Resolves to the functions that it
 * exports, or to the reason why they cannot be used. Never rejects.
 */
export const loadAdapter = async (path: string): Promise<AdapterUnderTest | string> => {
  const file = resolve(path)
  if (!existsSync(file)) return `${file} does not exist.`
  try {
    const { default: exported, ...named } = await import(pathToFileURL(file).href)
    // The import of a CommonJS module has a default export, and sometimes also the named exports.
    const adapter = { createStorage: exported, ...exported, ...named }
    if (typeof adapter.createStorage === 'function') return adapter
    return `${path} exports no function createStorage and no default function.`
  } catch (error) {
    return `${path} could not be imported: ${describeFailure(error)}`
  }
}
