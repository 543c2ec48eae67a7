import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SessionStorage } from '@jwt-auth/core'
import { hasMethod, sessionStorageMethods } from '@jwt-auth/core/adapter'
import type { AdapterUnderTest } from '../conformance-case.js'
import { describeFailure } from '../format-report.js'

/** The functions that an adapter's module exports, or the reason why they cannot be used. */
export type LoadedAdapter =
  | { readonly outcome: 'loaded'; readonly adapter: AdapterUnderTest }
  | { readonly outcome: 'refused'; readonly reason: string }

/**
 * Imports the module at a path relative to the working directory, and reads its exports. Never
 * rejects.
 */
export const loadAdapter = async (path: string): Promise<LoadedAdapter> => {
  const file = resolve(path)
  if (!existsSync(file)) return { outcome: 'refused', reason: `${file} does not exist.` }
  try {
    const adapter = readAdapter(await import(pathToFileURL(file).href))
    if (adapter !== undefined) return { outcome: 'loaded', adapter }
    return { outcome: 'refused', reason: `${path} exports no function createStorage and no default function.` }
  } catch (error) {
    return { outcome: 'refused', reason: `${path} could not be imported: ${describeFailure(error)}` }
  }
}

type UnknownFunction = (...args: readonly unknown[]) => unknown

const readAdapter = (module: object): AdapterUnderTest | undefined => {
  const createStorage = findFunction(module, 'createStorage') ?? findFunction(module, 'default')
  const createFailing = findFunction(module, 'createFailingStorage')
  const createInterrupted = findFunction(module, 'createInterruptedStorages')
  const createHeld = findFunction(module, 'createHeldStorage')
  const createShared = findFunction(module, 'createSharedStorages')
  const createProcess = findFunction(module, 'createProcessStorages')
  const createDamageable = findFunction(module, 'createDamageableStorage')
  return (
    createStorage && {
      createStorage: async () => readStorage(await createStorage()),
      createFailingStorage: createFailing && (async () => readStorage(await createFailing())),
      createInterruptedStorages:
        createInterrupted && (async (moment) => readPair(await createInterrupted(moment), readStorage)),
      createHeldStorage: createHeld && (async () => readPair(await createHeld(), readHold)),
      createSharedStorages: createShared && (async () => readPair(await createShared(), readStorage)),
      createProcessStorages: createProcess && (async () => readPair(await createProcess(), readStorage)),
      createDamageableStorage: createDamageable && (async () => readPair(await createDamageable(), readDamage)),
      close: findFunction(module, 'close'),
    }
  )
}

// The import of a CommonJS module has a default export, and sometimes also the named exports.
const findFunction = (module: object, name: string): UnknownFunction | undefined => {
  const exported: unknown = Reflect.get(module, name) ?? Reflect.get(Object(Reflect.get(module, 'default')), name)
  return isFunction(exported) ? exported : undefined
}

const isFunction = (value: unknown): value is UnknownFunction => typeof value === 'function'

const isStorage = (value: unknown): value is SessionStorage => findMissing(value).length === 0

const findMissing = (value: unknown): readonly string[] =>
  sessionStorageMethods.filter((name) => !hasMethod(value, name))

const readStorage = (value: unknown): SessionStorage => {
  if (isStorage(value)) return value
  throw new TypeError(`expected a session storage, but these methods are missing: ${findMissing(value).join(', ')}.`)
}

const readPair = <Second>(
  value: unknown,
  readSecond: (second: unknown) => Second,
): readonly [SessionStorage, Second] => {
  if (Array.isArray(value) && value.length === 2) return [readStorage(value[0]), readSecond(value[1])]
  throw new TypeError('expected an array: a storage, and the second value that the README of the suite names.')
}

const readHold = (value: unknown) =>
  value === 'nothing-to-hold' ? value : readTool(value, { purpose: 'holds the backend', undo: 'releases it' })

const readDamage = (value: unknown) =>
  value === 'nothing-to-damage' ? value : readTool(value, { purpose: 'damages a session', undo: 'repairs it' })

/** Reads a function that resolves to the function that undoes it. */
const readTool = (
  value: unknown,
  { purpose, undo }: { readonly purpose: string; readonly undo: string },
): ((...args: readonly unknown[]) => Promise<() => unknown>) => {
  if (!isFunction(value)) throw new TypeError(`expected a function that ${purpose}.`)
  return async (...args) => {
    const undoing = await value(...args)
    if (isFunction(undoing)) return () => undoing()
    throw new TypeError(`the function that ${purpose} must resolve to the function that ${undo}.`)
  }
}
