import { createServer } from 'node:http'
import { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import { jwtAuth } from '@jwt-auth/express'
import express from 'express'
import { type Context, resolvers, typeDefs } from './graphql-schema.js'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const apollo = new ApolloServer<Context>({ typeDefs, rootValue: resolvers })
await apollo.start()

const app = express()
app.use(auth)
app.use(
  '/graphql',
  auth.guard({ optional: true }),
  express.json(),
  expressMiddleware(apollo, { context: async ({ req }) => ({ caller: auth.getOptionalAuth(req) }) }),
)

export const server = createServer(app)
