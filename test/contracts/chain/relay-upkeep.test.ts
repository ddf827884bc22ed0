import { afterEach, expect, test, vi } from 'vitest'
import { relayUpkeepJob } from '../../../src/chains/payouts/jobs.ts'

afterEach(() => void vi.useRealTimers())

test('a relayer is looked after at a new block, after a failure, and each second at the same block', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let head = 'block 1'
  let upkeeps = 0
  let isFailing = false
  const job = relayUpkeepJob({
    network: 'BASE',
    due: 'true',
    readHead: async () => head,
    keepUp: async () => {
      upkeeps += 1
      if (isFailing) throw new Error('the node is away')
      return 1
    },
  })
  expect([await job.runBatch(), await job.runBatch()]).toEqual([1, 0])
  head = 'block 2'
  isFailing = true
  await expect(job.runBatch()).rejects.toThrow('away')
  isFailing = false
  expect([await job.runBatch(), await job.runBatch()]).toEqual([1, 0])
  vi.advanceTimersByTime(1_000)
  expect([await job.runBatch(), await job.runBatch()]).toEqual([1, 0])
  expect(upkeeps).toBe(4)
})
