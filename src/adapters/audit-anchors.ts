import { open } from 'node:fs/promises'
import path from 'node:path'
import type { Anchor } from '../db/audit/anchors.ts'
import type { OutboundHttp } from './outbound-http.ts'

/** Appends anchored heads to a file as JSON lines. It returns when they are on the disk. */
export function createAnchorFile(file: string): Anchor {
  return async (heads) => {
    const anchoredAt = new Date().toISOString()
    const lines = heads.map((head) => `${JSON.stringify({ kind: 'head', ...head, anchoredAt })}\n`)
    const handle = await open(file, 'a+', 0o600)
    try {
      const { size } = await handle.stat()
      const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) })
      // After a crash in the middle of a line, the next one must not continue it.
      const isCut = size > 0 && buffer.toString() !== '\n'
      await handle.appendFile(`${isCut ? '\n' : ''}${lines.join('')}`)
      await handle.sync()
      if (size === 0) await syncFolder(path.dirname(file))
    } finally {
      await handle.close()
    }
  }
}

/** A new file survives a crash only once its folder is on the disk too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

/** Posts anchored heads to the operator's address. Any 2xx answer says that they are stored. */
export function createAnchorPost(http: OutboundHttp, url: string): Anchor {
  return async (heads) => {
    const answer = await http.send({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ anchoredAt: new Date().toISOString(), heads }),
      policy: { kind: 'operator' },
    })
    if (!answer.ok) throw new Error(`the heads of the audit log could not be anchored: ${answer.message}`)
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`the heads of the audit log could not be anchored: the receiver answered ${answer.status}`)
  }
}
