import { ApiError, api } from '../model/api.ts'
import type { FormState } from '../model/types.ts'

export type UploadProgress = { share: number; isRetrying: boolean }

const mostAttempts = 5
const firstPauseMs = 800

/** Uploads a file. A dropped connection is tried again by itself, a few times, until the signal ends it. */
export async function uploadFile(
  place: { field: string; moves: number },
  file: Blob,
  onProgress: (progress: UploadProgress) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<FormState> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.upload(place, file, (share) => onProgress({ share, isRetrying: false }), signal)
    } catch (error) {
      const isTemporary =
        error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429)
      if (!isTemporary || attempt === mostAttempts || signal.aborted) throw error
      onProgress({ share: 0, isRetrying: true })
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (attempt - 1)))
      if (signal.aborted) throw error
    }
  }
}
