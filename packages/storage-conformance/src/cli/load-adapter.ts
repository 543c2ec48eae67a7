import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SessionStorage } from '@jwt-auth/core'
import { sessionStorageMethods } from '@jwt-auth/core/adapter'
import type { Damage, Hold } from '../conformance-case.js'
import { toFirstLine } from '../describe-failure.js'
import type { ConformanceOptions, CreateStorage } from '../run-conformance.js'

/** The functions that an adapter's module exports, or the reason why they cannot be used. */
export type LoadedAdapter =
  | { readonly outcome: 'loaded'; readonly createStorage: CreateStorage; readonly options: ConformanceOptions }
  | { readonly outcome: 'refused'; readonly reason: string }

/** Imports the module at a path relative to the working directory, and reads its exports. Never rejects. */
export const loadAdapter = async (path: string): Promise<LoadedAdapter> => {
  const file = resolve(path)
  if (!existsSync(file)) return { outcome: 'refused', reason: `${file} does not exist.` }
  try {
    return readAdapter(path, await import(pathToFileURL(file).href))
  } catch (error) {
    return { outcome: 'refused', reason: `${path} could not be imported: ${toFirstLine(error)}` }
  }
}

type UnknownFunction = (...args: readonly unknown[]) => unknown

const readAdapter = (path: string, module: object): LoadedAdapter => {
  const createStorage = findFunction(module, 'createStorage') ?? findFunction(module, 'default')
  if (createStorage === undefined) {
    const reason = `${path} exports no function createStorage and no default function.`
    return { outcome: 'refused', reason }
  }
  return {
    outcome: 'loaded',
    createStorage: async () => readStorage(await createStorage()),
    options: readOptions(module),
  }
}

const readOptions = (module: object): ConformanceOptions => {
  const close = findFunction(module, 'close')
  const createFailing = findFunction(module, 'createFailingStorage')
  const createShared = findFunction(module, 'createSharedStorages')
  const createProcess = findFunction(module, 'createProcessStorages')
  const createInterrupted = findFunction(module, 'createInterruptedStorages')
  const createHeld = findFunction(module, 'createHeldStorage')
  const createDamageable = findFunction(module, 'createDamageableStorage')
  return {
    closeStorage: close && (async (storage) => void (await close(storage))),
    createFailingStorage: createFailing && (async () => readStorage(await createFailing())),
    createSharedStorages: createShared && (async () => readPair(await createShared())),
    createProcessStorages: createProcess && (async () => readPair(await createProcess())),
    createInterruptedStorages: createInterrupted && (async (moment) => readPair(await createInterrupted(moment))),
    createHeldStorage: createHeld && (async () => readHeld(await createHeld())),
    createDamageableStorage: createDamageable && (async () => readDamageable(await createDamageable())),
  }
}

// The import of a CommonJS module has a default export, and sometimes also the named exports.
const findFunction = (module: object, name: string): UnknownFunction | undefined => {
  const exported: unknown = Reflect.get(module, name) ?? Reflect.get(Object(Reflect.get(module, 'default')), name)
  return isFunction(exported) ? exported : undefined
}

const isFunction = (value: unknown): value is UnknownFunction => typeof value === 'function'

const isStorage = (value: unknown): value is SessionStorage => findMissing(value).length === 0

const findMissing = (value: unknown): readonly string[] =>
  sessionStorageMethods.filter((name) => !isFunction(Reflect.get(Object(value), name)))

const readStorage = (value: unknown): SessionStorage => {
  if (isStorage(value)) return value
  throw new TypeError(`expected a session storage, but these methods are missing: ${findMissing(value).join(', ')}.`)
}

const readPair = (value: unknown): readonly [SessionStorage, SessionStorage] => {
  if (Array.isArray(value) && value.length === 2) return [readStorage(value[0]), readStorage(value[1])]
  throw new TypeError('expected an array of two storages.')
}

const readHeld = (value: unknown): readonly [SessionStorage, Hold] => {
  if (Array.isArray(value) && value.length === 2) return [readStorage(value[0]), readHold(value[1])]
  throw new TypeError(
    "expected an array of a storage and either a function that holds its backend or 'nothing-to-hold'.",
  )
}

const readHold = (value: unknown): Hold =>
  value === 'nothing-to-hold' ? value : readTool(value, { purpose: 'holds the backend', undo: 'releases it' })

const readDamageable = (value: unknown): readonly [SessionStorage, Damage] => {
  if (Array.isArray(value) && value.length === 2) return [readStorage(value[0]), readDamage(value[1])]
  throw new TypeError(
    "expected an array of a storage and either a function that damages a session or 'nothing-to-damage'.",
  )
}

const readDamage = (value: unknown): Damage =>
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
