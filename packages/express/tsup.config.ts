import { defineConfig } from 'tsup'
import { packageBuild } from '../../tsup.base.js'

export default defineConfig(
  packageBuild({
    index: 'src/index.ts',
    argon2: 'src/argon2.ts',
    'legacy-hashers': 'src/legacy-hashers.ts',
    openapi: 'src/openapi.ts',
  }),
)
