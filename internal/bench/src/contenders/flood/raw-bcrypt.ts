import bcrypt from 'bcrypt'
import express from 'express'
import { password } from '../../world/sample-user.js'
import { openFileHost } from '../open-file-host.js'
import type { ServerContender } from '../server-contender.js'

/** A login written by hand: every login compares its hash immediately. */
export const contender: ServerContender = {
  title: 'bcrypt alone',
  checks: 'nothing',
  open: async ({ bcryptCost }) => {
    const app = openFileHost()
    const hash = await bcrypt.hash(password, bcryptCost)
    app.post('/jwt-auth/v1/token', express.json(), async (req, res) => {
      const isMatch = await bcrypt.compare(String(req.body.password), hash)
      res.status(isMatch ? 200 : 403).json({})
    })
    return { listener: app }
  },
}
