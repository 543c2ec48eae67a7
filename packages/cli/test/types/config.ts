// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import type { CliConfig } from '@jwt-auth/cli'
import type { JwtAuthOptions, SessionStorage, UserDirectory } from '@jwt-auth/express'

interface Member {
  readonly id: number
  readonly email: string
  readonly role: 'admin' | 'reader'
}

declare const authOptions: JwtAuthOptions<Member, { role: Member['role'] }>
declare const users: UserDirectory<Member>
declare const storage: SessionStorage

const shared = { secret: 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb', issuer: 'https://api.example.com', users, storage }

/** The options of the application, with its own type of a user. */
export const configs = [
  { options: authOptions },
  {
    options: {
      ...shared,
      claims: ({ role }: Member) => ({ role }),
      profile: ({ role }: Member) => ({ role }),
      onEvent: (event) => void (event.type === 'session_created' && event.sessionId),
    },
  },
  { options: { ...shared, claims: ({ email }) => ({ email }) } },
] satisfies CliConfig[]

export const wrong = {
  // @ts-expect-error: there is no such option.
  options: { ...shared, accessTokenLifetime: 60 },
} satisfies CliConfig
