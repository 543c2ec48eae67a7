export type { CliConfig } from './config.js'
