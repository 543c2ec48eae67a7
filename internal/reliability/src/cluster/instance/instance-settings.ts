import type { JwtAuthOptions } from '@jwt-auth/express'
import { type DefectName, isDefectName } from '../../defects.js'

const frameworks = ['express5', 'express4', 'node:http'] as const

/** The framework of an instance. */
export type FrameworkName = (typeof frameworks)[number]

/** The settings of an instance: one JSON argument. */
export interface InstanceSettings {
  /** `sqlite:FILE`, `postgres://…`, `mysql://…` or `redis://…`. The URL of Redis may have `?prefix=…` for the names of keys. */
  readonly storageUrl: string
  /** @default 'express5' */
  readonly framework?: FrameworkName
  /** The greatest number of connections to the database. SQLite and Redis have one. @default 10 */
  readonly poolSize?: number
  /**
   * The limit for opening a connection, in milliseconds. Callers wait that long for a connection that was started while the
   * server was down. @default 1000
   */
  readonly connectTimeoutMs?: number
  /** Options of `jwtAuth`. @default none */
  readonly options?: InstanceOptions
  /** The path of a JSON file with the number of password changes of each user. @default passwords never change */
  readonly passwordChangesFile?: string
  /** A planted defect. @default none */
  readonly defect?: DefectName
}

/** The options of `jwtAuth` that are numbers. */
type InstanceOptions = Pick<
  JwtAuthOptions,
  | 'accessTokenLifetimeSeconds'
  | 'sessionIdleTimeoutSeconds'
  | 'sessionAbsoluteTimeoutSeconds'
  | 'maxSessionsPerUser'
  | 'refreshGraceSeconds'
  | 'storageTimeoutMs'
>

/** The settings with all defaults. */
export type CompleteSettings = Required<Omit<InstanceSettings, Optional>> & Pick<InstanceSettings, Optional>

type Optional = 'defect' | 'passwordChangesFile'

/** Parses the settings of an instance. Throws a `TypeError` that names the invalid setting. */
export const parseInstanceSettings = (text: string | undefined): CompleteSettings => {
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
  if (unknown !== undefined) throw new TypeError(`instance: unknown setting \`${unknown}\`.`)
  return {
    storageUrl: read('storageUrl', 'a URL', storageUrl, isUrl),
    framework: read('framework', frameworks.join(', '), framework, isFrameworkName),
    poolSize: read('poolSize', 'an integer from 1 to 100', poolSize, isPoolSize),
    connectTimeoutMs: read('connectTimeoutMs', 'an integer of at least 1', connectTimeoutMs, isCount),
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
