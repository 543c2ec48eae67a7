import { readFile } from 'node:fs/promises'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { exampleExecutor } from './support/example-executor.js'

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')

describe('the guide to SQL clients', () => {
  it('shows the executor that the next suite tests', async () => {
    expect(await read('../../../docs/sql-clients.md')).toContain(await read('support/example-executor.ts'))
  })
})

describeExecutor({
  title: 'the executor of the guide',
  server: (await findDatabases())[1],
  isCancelling: false,
  open: (connectionString) => {
    const pool = new pg.Pool({ connectionString, max: 10 })
    return { executor: exampleExecutor(pool), close: () => pool.end() }
  },
})
