import { useRef } from 'preact/hooks'
import type { PendingFile } from '../model/pending-files.ts'
import { formatPercent } from '../texts/format.ts'
import { texts } from '../texts/words.ts'
import { Look } from './look.tsx'
import type { PreparedFile } from './prepare.ts'
import type { UploadProgress } from './upload.ts'

/** How far the file of a field is; idle when none waits. */
export type Stage = PendingFile | { at: 'idle' }

type ButtonsProps = { id: string; label: string; hasFile: boolean; onTake(file?: File): void; onRemove(): void }

export function Buttons({ id, label, hasFile, onTake, onRemove }: ButtonsProps) {
  const chooser = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const take = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement
    onTake(input.files?.[0])
    input.value = ''
  }
  const accept = 'image/*,.heic,.heif,application/pdf'
  return (
    <div class="buttons">
      <input
        ref={chooser}
        class="sr"
        type="file"
        id={`${id}-file`}
        tabIndex={-1}
        aria-label={label}
        accept={accept}
        onChange={take}
      />
      <input
        ref={camera}
        class="sr"
        type="file"
        id={`${id}-camera`}
        tabIndex={-1}
        aria-label={`${texts.files.camera}: ${label}`}
        accept="image/*"
        capture="environment"
        onChange={take}
      />
      <button type="button" class="secondary" onClick={() => chooser.current?.click()}>
        {hasFile ? texts.files.replace : texts.files.add}
        <span class="sr"> – {label}</span>
      </button>
      <button type="button" class="secondary only-touch" onClick={() => camera.current?.click()}>
        {texts.files.camera}
        <span class="sr"> – {label}</span>
      </button>
      {hasFile && (
        <button type="button" class="link" onClick={onRemove}>
          {texts.files.remove}
          <span class="sr"> – {label}</span>
        </button>
      )}
      {!hasFile && <span class="quiet only-mouse">{texts.files.drop}</span>}
      {!hasFile && <p class="hint">{texts.files.rules}</p>}
    </div>
  )
}

export function Uploaded({ label, isNew, preview }: { label: string; isNew: boolean; preview: string | undefined }) {
  return (
    <div class="uploaded">
      {preview ? <img src={preview} alt={texts.files.alt(label)} /> : <span class="paper" aria-hidden="true" />}
      <p class="given">
        <span class="tick" aria-hidden="true" />
        {isNew ? texts.files.done : texts.files.given}
      </p>
    </div>
  )
}

type StageProps = {
  stage: Stage
  label: string
  /** True for a picture that waits since an earlier visit of the page, whose heading has the focus now. */
  isOld: boolean
  onUse(prepared: PreparedFile): void
  onCancel(): void
  onPages(chosen: File, from: number): void
}

export function StageView({ stage, label, isOld, onUse, onCancel, onPages }: StageProps) {
  const retry = ({ prepared, unprepared }: Extract<Stage, { at: 'failed' }>) => {
    if (prepared) onUse(prepared)
    else if (unprepared) onPages(unprepared.chosen, unprepared.fromPage)
  }
  return (
    <>
      {stage.at === 'uploading' && <Progress {...stage} label={label} />}
      {(stage.at === 'uploading' || stage.at === 'preparing') && (
        <button type="button" class="link" onClick={onCancel}>
          {texts.files.cancel}
          <span class="sr"> – {label}</span>
        </button>
      )}
      <div role="status">
        {stage.at === 'preparing' && <p>{texts.files.preparing}</p>}
        {stage.at === 'uploading' && stage.isRetrying && <p class="quiet">{texts.files.retrying}</p>}
        {stage.at === 'failed' && (
          <p class="problem">
            {stage.message}{' '}
            {(stage.prepared || stage.unprepared) && (
              <button type="button" class="link" onClick={() => retry(stage)}>
                {texts.files.tryAgain}
                <span class="sr"> – {label}</span>
              </button>
            )}{' '}
            <button type="button" class="link" onClick={onCancel}>
              {texts.files.discard}
              <span class="sr"> – {label}</span>
            </button>
          </p>
        )}
      </div>
      {stage.at === 'looking' && (
        <Look
          {...stage}
          label={label}
          isOld={isOld}
          onUse={onUse}
          onCancel={onCancel}
          onPages={(from) => onPages(stage.chosen, from)}
        />
      )}
    </>
  )
}

/** Is no live region: a screen reader would read every percent. */
function Progress({ share, isRetrying, label }: UploadProgress & { label: string }) {
  const words = share < 1 ? texts.files.uploading(formatPercent(share)) : texts.files.checking
  return (
    <>
      <progress max={1} value={share} aria-label={label} />
      {!isRetrying && <p class="quiet">{words}</p>}
    </>
  )
}
