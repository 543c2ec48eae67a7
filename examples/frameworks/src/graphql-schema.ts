import { type Auth, claimEquals } from '@jwt-auth/express'
import { GraphQLError } from 'graphql'

/** What the resolvers receive. `caller` is `undefined` for an anonymous request. */
export interface Context {
  readonly caller: Auth | undefined
}

export const typeDefs = `
  type Query {
    home: String!
    reports: Reports!
    admin: String!
  }
  type Reports {
    userId: Int!
  }
`

const fail = (code: 'UNAUTHENTICATED' | 'FORBIDDEN'): never => {
  throw new GraphQLError(code, { extensions: { code } })
}

const isAdmin = claimEquals('role', 'admin')

export const resolvers = {
  home: () => 'home',
  reports: (_args: object, { caller = fail('UNAUTHENTICATED') }: Context) => ({ userId: caller.userId }),
  admin: async (_args: object, { caller = fail('UNAUTHENTICATED') }: Context) =>
    (await isAdmin(caller, undefined)) ? 'admin' : fail('FORBIDDEN'),
}
