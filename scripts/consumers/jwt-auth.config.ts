import type { CliConfig } from '@jwt-auth/cli'
import { passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'

const nobody = async (): Promise<undefined> => undefined

export default {
  options: {
    secret: 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb',
    issuer: 'http://localhost:3000',
    users: passwordUsers({ findByUsername: nobody, findById: nobody }),
    storage: memoryStorage({ quiet: true }),
  },
} satisfies CliConfig
