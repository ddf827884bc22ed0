import { useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { texts } from '../texts/words.ts'
import { Heading, Layout } from './layout.tsx'

/** The page of a window whose session has ended. It shows no answers, and tells whether it still keeps some. */
export function EndedPage() {
  const { store } = useForm()
  const [attempts, setAttempts] = useState(0)
  const resume = async () => {
    await store.resume()
    setAttempts(attempts + 1)
  }
  if (store.isLeaving) return <LeavingPage />
  return (
    <Layout>
      <Heading title={texts.sessionEnded} of="ended" />
      {store.hasUnsaved ? (
        <>
          <p class="problem" role="alert">
            {texts.endedUnsaved}
          </p>
          <p class="lead">{texts.endedUnsavedHint}</p>
          <div class="actions">
            <button type="button" onClick={() => void resume()}>
              {texts.saveNow}
            </button>
          </div>
          <div role="status">{attempts > 0 && <p key={attempts}>{texts.notOpenYet}</p>}</div>
        </>
      ) : (
        <p class="lead">{texts.sessionEndedHint}</p>
      )}
    </Layout>
  )
}

/** The page of a customer who has left, until the service has ended the session. It says what stays until then. */
function LeavingPage() {
  const { store } = useForm()
  return (
    <Layout>
      <Heading title={texts.leaving} of="leaving" />
      {store.hasFailedToLeave && (
        <div role="alert">
          <p class="problem">{texts.leaveFailed}</p>
          {store.hasUnsaved && <p>{texts.leaveUnsaved}</p>}
        </div>
      )}
    </Layout>
  )
}
