import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** A temporary folder that other users may enter: for root, the database runs as another user. */
export async function makeFolder(
  prefix = 'svc test ',
  parent = os.tmpdir(),
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(parent, prefix))
  await chmod(folder, 0o755)
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }) }
}
