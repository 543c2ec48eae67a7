import { createServer } from 'node:http'
import { jwtAuth } from '@jwt-auth/express'
import express from 'express'
import { buildSchema } from 'graphql'
import { createHandler } from 'graphql-http/lib/use/express'
import { resolvers, typeDefs } from './graphql-schema.js'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const app = express()
app.use(auth)
app.use(
  '/graphql',
  auth.guard({ optional: true }),
  createHandler({
    schema: buildSchema(typeDefs),
    rootValue: resolvers,
    context: ({ raw }) => ({ caller: auth.getOptionalAuth(raw) }),
  }),
)

export const server = createServer(app)
