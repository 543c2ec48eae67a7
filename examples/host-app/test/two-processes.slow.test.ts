import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expectOneService } from './support/expect-one-service.js'
import { it } from './support/it.js'

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

// Redis: redis.test.ts.
describeEach(servers, 'two processes that start concurrently on an empty $name database', (kind) => {
  it('are one service', async ({ createDatabase, startProcess }) => {
    const { url: DATABASE_URL } = await createDatabase(kind)
    const [one, other] = await Promise.all([startProcess({ DATABASE_URL }), startProcess({ DATABASE_URL })])

    await expectOneService(one, other)
  })
})
