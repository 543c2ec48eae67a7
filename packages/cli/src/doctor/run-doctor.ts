import { join } from 'node:path'
import { readIssuers } from '@jwt-auth/core/internal'
import { type CliConfig, createService } from '../config.js'
import { callInTime, type Result, type Terminal } from '../terminal.js'
import { checkDatabase } from './check-database.js'
import { checkIssuer, checkOptions } from './check-options.js'
import { checkPackages } from './check-packages.js'
import { checkStores } from './check-stores.js'
import { type Finding, findProblem } from './finding.js'

const marks = { ok: 'ok       ', problem: 'PROBLEM  ', unknown: 'unknown  ' }

/** Checks the configuration, the storage and the installed packages. */
export const runDoctor = async (config: CliConfig, terminal: Terminal): Promise<Result> => {
  const findings = [...(await check(config, terminal)), checkPackages(join('node_modules', '@jwt-auth'))]
  terminal.signal.throwIfAborted()
  const count = findings.filter(({ level }) => level === 'problem').length
  const lines = findings.map(({ level, check, message }) => `${marks[level]}${check}: ${message}`)
  const summary = count === 0 ? 'No problem was found.' : `${count} ${count === 1 ? 'problem' : 'problems'}.`
  return { text: [...lines, summary].join('\n'), json: { findings }, isProblem: count > 0 }
}

const check = async (config: CliConfig, terminal: Terminal): Promise<readonly Finding[]> => {
  try {
    createService(config.options, terminal)
  } catch (error) {
    return [findProblem('options', true, error instanceof Error ? error.message : String(error))]
  }
  const storage = await checkStorage(config, terminal)
  const isReady = storage.every(({ level }) => level === 'ok')
  const isUsable = isReady && config.options.storage.isInProcess !== true
  return [
    findProblem('options', false, ''),
    ...checkOptions(config),
    await checkIssuer(readIssuers('issuer', config.options.issuer)[0]),
    ...storage,
    ...(isReady ? await checkStores(config, terminal) : []),
    ...(isUsable ? await callInTime(terminal, 'runSql, runRedis', () => checkDatabase(config, terminal.now)) : []),
  ]
}

const checkStorage = async ({ options: { storage } }: CliConfig, terminal: Terminal): Promise<readonly Finding[]> => {
  const asking = callInTime(terminal, 'storage.status', async (call) => storage.status?.(call))
  const status = await asking.catch((error: Error) => ({ isReachable: false, error }) as const)
  if (status === undefined) return []
  if (!status.isReachable) return [findProblem('storage', true, `is not ready: ${status.error.message}`)]
  if (status.error !== undefined) return [findProblem('storage', true, `is not ready: ${status.error.message}`)]
  const { schemaVersion, knownVersion, isMigrationNeeded, isCompatible } = status
  const fix = isMigrationNeeded ? 'Run `npx @jwt-auth/cli migrate`.' : 'Update the packages.'
  const message = `has version ${schemaVersion}, and the packages know version ${knownVersion}. ${fix}`
  return [findProblem('schema', isMigrationNeeded || !isCompatible, message)]
}
