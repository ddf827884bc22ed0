import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unfinishedPrefix } from './cluster.ts'
import { randomName, statsOf } from './files.ts'
import { endOrphan } from './orphan.ts'
import { takeOwnership } from './owner-lock.ts'
import { chooseClusterPlace, openSocketFolder } from './place.ts'

/**
 * Deletes the cluster of a folder, also when it is elsewhere, and the file that says so. Refuses while a Svc process
 * uses it. An interrupted deletion leaves no half a cluster: the next start removes the rest.
 */
export async function removeCluster(
  folder: string,
  log: (message: string) => void,
  systemFolder = '/var/lib/svc',
): Promise<void> {
  if ((await statsOf(folder)) === null) return
  const place = await chooseClusterPlace(folder, systemFolder)
  const socketFolder = await openSocketFolder(place)
  const lock = await takeOwnership(socketFolder, `The database in ${place.dataFolder}`)
  try {
    await endOrphan(place.dataFolder, socketFolder, log)
    if ((await statsOf(place.dataFolder)) !== null)
      await rename(place.dataFolder, join(place.home, `${unfinishedPrefix}${randomName()}`))
    await rm(place.home, { recursive: true, force: true })
  } finally {
    await lock.release()
  }
  await rm(folder, { recursive: true, force: true })
}
