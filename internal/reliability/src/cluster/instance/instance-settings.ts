import type { JwtAuthOptions } from '@jwt-auth/express'
import { type DefectName, isDefectName } from '../../defects.js'

const frameworks = ['express5', 'express4', 'node:http'] as const

/** What an instance answers HTTP with. */
export type FrameworkName = (typeof frameworks)[number]

/** What an instance is started with: one JSON argument. */
export interface InstanceSettings {
  /** `sqlite:FILE`, `postgres://…`, `mysql://…` or `redis://…`, the last with `?prefix=…` for keys of its own. */
  readonly storageUrl: string
  /** @default 'express5' */
  readonly framework?: FrameworkName
  /** The most connections to the database; SQLite has one, Redis shares one. @default 10 */
  readonly poolSize?: number
  /**
   * How long opening a connection may take, in milliseconds: callers go on waiting for one that was begun while the server was
   * away. @default 1000
   */
  readonly connectTimeoutMs?: number
  /** Options of `jwtAuth`, which checks them. @default none */
  readonly options?: InstanceOptions
  /** The path of a JSON file: how often the password of each user was changed. @default passwords never change */
  readonly passwordChangesFile?: string
  /** A bug to be found. @default none */
  readonly defect?: DefectName
}

/** The options of `jwtAuth` that are plain numbers. */
type InstanceOptions = Pick<
  JwtAuthOptions,
  | 'accessTokenLifetimeSeconds'
  | 'sessionIdleTimeoutSeconds'
  | 'sessionAbsoluteTimeoutSeconds'
  | 'maxSessionsPerUser'
  | 'refreshGraceSeconds'
  | 'storageTimeoutMs'
>

/** Settings with every default in place. */
export type CompleteSettings = Required<Omit<InstanceSettings, Optional>> & Pick<InstanceSettings, Optional>

type Optional = 'defect' | 'passwordChangesFile'

/** Reads the settings an instance was started with. Throws a `TypeError` that names the one at fault. */
export const readInstanceSettings = (text: string | undefined): CompleteSettings => {
  const given: unknown = JSON.parse(text ?? 'null')
  if (!isObject(given)) throw new TypeError('instance: the settings must be a JSON object.')
  const {
    storageUrl,
    framework = 'express5',
    poolSize = 10,
    connectTimeoutMs = 1_000,
    options = {},
    passwordChangesFile,
    defect,
    ...others
  } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`instance: there is no setting \`${unknown}\`.`)
  return {
    storageUrl: read('storageUrl', 'a URL', storageUrl, isUrl),
    framework: read('framework', frameworks.join(', '), framework, isFrameworkName),
    poolSize: read('poolSize', 'a whole number from 1 to 100', poolSize, isPoolSize),
    connectTimeoutMs: read('connectTimeoutMs', 'a whole number from 1 on', connectTimeoutMs, isCount),
    options: read('options', 'an object of numbers', options, isInstanceOptions),
    ...(passwordChangesFile !== undefined && {
      passwordChangesFile: read('passwordChangesFile', 'a path', passwordChangesFile, isText),
    }),
    ...(defect !== undefined && { defect: read('defect', 'a known defect', defect, isDefectName) }),
  }
}

const read = <T>(name: string, expected: string, value: unknown, fits: (value: unknown) => value is T): T => {
  if (fits(value)) return value
  throw new TypeError(`instance: setting \`${name}\` must be ${expected}.`)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'

const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value)

const isFrameworkName = (value: unknown): value is FrameworkName => frameworks.some((name) => name === value)

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 1

const isPoolSize = (value: unknown): value is number => isCount(value) && value <= 100

const isInstanceOptions = (value: unknown): value is InstanceOptions =>
  isObject(value) && Object.values(value).every((one) => typeof one === 'number')
