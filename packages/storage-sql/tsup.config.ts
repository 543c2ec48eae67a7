import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.js'

export default defineConfig(
  packageBuild({
    index: 'src/index.ts',
    executor: 'src/executor.ts',
    mysql2: 'src/executors/mysql2.ts',
    pg: 'src/executors/pg.ts',
    postgres: 'src/executors/postgres.ts',
    sqlite: 'src/executors/sqlite.ts',
    internal: 'src/internal.ts',
  }),
)
