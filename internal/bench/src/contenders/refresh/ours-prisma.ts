import { createRequire } from 'node:module'
import { prismaExecutor } from '@jwt-auth/example-sql-clients/prisma-executor'
import { sqlStorage } from '@jwt-auth/storage-sql'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'
import { prismaFolder } from '../prisma-folder.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on PostgreSQL through the executor of Prisma',
  open: async (world) => {
    const load = createRequire(prismaFolder)
    const { PrismaClient } = load('./generated/index.js')
    const { PrismaPg } = load('@prisma/adapter-pg')
    const adapter = new PrismaPg({ connectionString: databaseUrlOf(world, 'PostgreSQL'), max: poolSize })
    return openOurRefresh(world, sqlStorage(prismaExecutor(new PrismaClient({ adapter }), poolSize)))
  },
}
