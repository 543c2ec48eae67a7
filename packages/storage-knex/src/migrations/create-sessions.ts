import type { DialectName } from '../dialect.js'
import type { TableNames } from '../table-names.js'
import { createIndex } from './create-index.js'

const columns = `
  id varchar(64) primary key,
  issuer varchar(200) not null,
  user_id varchar(512) not null,
  selector_hash varchar(64) not null unique,
  verifier_hash varchar(64) not null,
  recent_verifiers text not null,
  created_at bigint not null,
  rotated_at bigint not null,
  last_used_at bigint not null,
  idle_expires_at bigint not null,
  absolute_expires_at bigint not null,
  expires_at bigint not null,
  clearable_at bigint,
  ended_at bigint,
  end_reason varchar(64),
  credential_version varchar(255),
  user_agent varchar(512),
  ip_address varchar(64),
  last_user_agent varchar(512),
  last_ip_address varchar(64),
  label varchar(255)`

// A list reads the sessions that have not ended, in its order, and no others.
const ofUser = 'issuer, user_id, ended_at, created_at'

/**
 * The table of sessions and its indexes. MySQL commits each statement on schemas by itself, so that there everything is one.
 *
 * @param collation on MySQL the one that compares text byte for byte
 */
export const createSessions = (
  { sessions, bare }: TableNames,
  dialect: DialectName,
  collation: string,
): readonly string[] => {
  if (dialect === 'mysql') {
    const keys = `key ${bare}_user (${ofUser}), key ${bare}_expires (expires_at), key ${bare}_clearable (clearable_at)`
    return [
      `create table if not exists ${sessions} (${columns},\n  ${keys}) default charset utf8mb4 collate ${collation}`,
    ]
  }
  return [
    `create table ${sessions} (${columns})`,
    createIndex(dialect, { table: sessions, bare, suffix: 'user', on: ofUser }),
    createIndex(dialect, { table: sessions, bare, suffix: 'expires', on: 'expires_at' }),
    createIndex(dialect, { table: sessions, bare, suffix: 'clearable', on: 'clearable_at' }),
  ]
}
