import { expect, test } from 'vitest'
import { explainFailure } from './explain.ts'

const failed = (facts: object) => Object.assign(new Error('as the system says'), facts)

test.each([
  [{ code: 'EACCES', syscall: 'open', path: '/k' }, /may not use \/k\. Run Svc as its owner/],
  [{ code: 'EROFS', syscall: 'mkdir', path: '/d' }, /^\/d is on a read-only file system/],
  [{ code: 'ENOSPC', syscall: 'write', path: '/d/f' }, /^The disk that holds \/d\/f is full\. Free some space/],
  [
    { code: 'ENOENT', syscall: 'mkdir', path: '/proc/d' },
    /^\/proc\/d does not exist .* Create it, or name another place\./,
  ],
  [{ code: 'ENOTDIR', syscall: 'mkdir', path: '/f/d' }, /^A part of \/f\/d is a file/],
  [
    { code: 'EISDIR', syscall: 'read', path: '/d' },
    /^\/d is a folder where .* Name a file, or move that folder away\./,
  ],
  [{ code: 'EIO', syscall: 'read', path: '/d' }, /Check the disk, and restore the file from a backup/],
  [
    { code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.1', port: 5432 },
    /^No database answers at 10\.0\.0\.1:5432/,
  ],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'db.invalid' }, /^No database answers at db\.invalid/],
  [{ code: '28P01', severity: 'FATAL' }, /refuses this login/],
  [{ code: '3D000', severity: 'FATAL' }, /does not exist\. Create it/],
  [{ code: '53100', severity: 'ERROR' }, /disk of the database is full/],
  [{ code: 'XX001', severity: 'ERROR' }, /damaged data/],
  [{ code: 'OTHER' }, /^as the system says$/],
])('%j is explained', (facts, said) => {
  expect(explainFailure(failed(facts))).toMatch(said)
})

test('of several addresses that refuse, the first is named', () => {
  const error = failed({ code: 'ECONNREFUSED', syscall: 'connect', address: '::1', port: 5432 })
  expect(explainFailure(new AggregateError([error]))).toMatch(/at ::1:5432/)
})
