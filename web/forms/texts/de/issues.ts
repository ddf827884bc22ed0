import type { Texts } from '../en.ts'

const otherName =
  'Bitte prüfen Sie „{field}“: Es weicht von dem Namen ab, der uns genannt wurde. Berichtigen Sie es, falls es falsch ist.'
const enter = 'Bitte geben Sie „{field}“ an.'
const upload = 'Bitte laden Sie auch „{field}“ hoch.'

export const issues: Texts['issues'] = {
  DOCUMENT_MISSING_BACK: 'Bitte laden Sie auch ein Bild der Rückseite des Ausweises hoch.',
  DOCUMENT_MISSING_FRONT: 'Bitte laden Sie auch ein Bild der Vorderseite des Ausweises hoch.',
  DOCUMENT_NUMBER_UNREADABLE:
    'Wir konnten die Nummer des Dokuments nicht lesen. Bitte laden Sie ein schärferes Bild ohne Spiegelung hoch.',
  DOC_QUALITY_POOR:
    'Das Bild des Dokuments ist nicht deutlich genug. Bitte laden Sie ein scharfes Farbbild mit allen vier Ecken hoch.',
  NAME_UNREADABLE:
    'Wir konnten den Namen auf dem Dokument nicht lesen. Bitte laden Sie ein schärferes Bild ohne Spiegelung hoch.',
  NO_FACE_PORTRAIT:
    'Das Foto auf dem Ausweis ist nicht zu sehen. Bitte laden Sie ein Bild der Seite mit dem Foto hoch.',
  MISSING_ID_DETAILS: 'Bitte ergänzen Sie die Angaben zum Ausweis: Art, Nummer und ausstellendes Land.',
  DOCUMENT_EXPIRED: 'Das Dokument ist abgelaufen. Bitte laden Sie ein gültiges hoch.',
  NO_GOVERNMENT_ID:
    'Bitte laden Sie einen amtlichen Ausweis mit Foto hoch, zum Beispiel einen Reisepass oder Personalausweis.',
  DOCUMENT_NOT_FOUND:
    'Wir konnten in der Datei kein Dokument finden. Bitte laden Sie ein Bild des ganzen Dokuments hoch.',
  UNREADABLE_DOCUMENT:
    'Wir konnten das Dokument nicht lesen. Bitte laden Sie ein scharfes Bild hoch, auf dem nichts verdeckt ist.',
  UNRECOGNIZED_DOCUMENT:
    'Diese Art von Dokument kennen wir nicht. Bitte laden Sie einen Reisepass oder Personalausweis hoch.',
  MISSING_DOCUMENT_NUMBER: 'Bitte geben Sie die Nummer des Dokuments an.',
  MISSING_ISSUE_DATE: 'Bitte geben Sie das Ausstellungsdatum des Dokuments an.',
  MISSING_EXPIRY_DATE: 'Bitte geben Sie das Ablaufdatum des Dokuments an.',
  DOCUMENT_FRONT_OR_BACK_MISSING:
    'Eine Seite des Dokuments fehlt. Bitte laden Sie Bilder der Vorder- und der Rückseite hoch.',
  DOCUMENT_BACK_MISSING: 'Die Rückseite des Dokuments fehlt. Bitte laden Sie ein Bild davon hoch.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Wir brauchen ein weiteres Dokument. Bitte prüfen Sie die Anschrift und laden Sie einen aktuellen Nachweis hoch.',
  DATABASE_CHECK_FAILED_ON_STREET_NAME:
    'Wir konnten die Straße nicht bestätigen. Bitte prüfen Sie Straße und Hausnummer.',
  DATABASE_CHECK_FAILED_ON_CITY: 'Wir konnten den Ort nicht bestätigen. Bitte prüfen Sie Name und Schreibweise.',
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:
    'Wir konnten Bundesstaat, Region oder Provinz nicht bestätigen. Bitte prüfen Sie, ob die Angabe zur Anschrift gehört.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'Wir konnten die Postleitzahl nicht bestätigen. Bitte prüfen Sie, ob sie zur Anschrift gehört.',
  ADDRESS_TOO_SHORT: 'Die Anschrift ist unvollständig. Bitte geben Sie Straße mit Hausnummer, Ort und Postleitzahl an.',
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:
    'Der Adressnachweis ist zu alt. Bitte laden Sie einen aus den letzten 3 Monaten hoch.',
  ADDRESS_DOCUMENT_MISSING_NAME:
    'Auf dem Adressnachweis steht kein Name. Bitte laden Sie einen mit dem vollständigen Namen hoch.',
  ADDRESS_DOCUMENT_MISSING_ADDRESS:
    'Auf dem Adressnachweis steht keine Anschrift. Bitte laden Sie einen mit der vollständigen Anschrift hoch.',
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:
    'Dieses Dokument können wir nicht als Adressnachweis annehmen. Bitte laden Sie eine Versorgerrechnung, einen Kontoauszug oder ein Behördenschreiben hoch.',
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED:
    'Der Name auf dem Adressnachweis weicht vom angegebenen Namen ab. Bitte berichtigen Sie den falschen.',
  ID_DATA_MISMATCH: 'Einige Angaben weichen vom Ausweis ab. Bitte geben Sie alles genau wie im Ausweis an.',
  INVALID_PARAMETERS:
    'Einige Angaben fehlen oder sind ungültig. Bitte prüfen Sie alle Felder und berichtigen Sie, was falsch ist.',
  INCORRECT_ID_TYPE:
    'Die gewählte Art passt nicht zum Ausweis. Bitte wählen Sie die passende Art oder laden Sie einen anderen Ausweis hoch.',
  ID_COUNTRY_MISMATCH: 'Das angegebene Land hat den Ausweis nicht ausgestellt. Bitte prüfen Sie das Land.',
  GOVERNMENT_ID_VERIFICATION_FAILED:
    'Wir konnten den Ausweis nicht verifizieren. Bitte laden Sie deutliche Bilder davon oder von einem anderen Ausweis hoch.',
  DATABASE_CHECK_FAILED_ON_NAME_FIRST:
    'Wir konnten den Vornamen nicht bestätigen. Bitte geben Sie ihn genau wie im Ausweis an.',
  DATABASE_CHECK_FAILED_ON_NAME_LAST:
    'Wir konnten den Nachnamen nicht bestätigen. Bitte geben Sie ihn genau wie im Ausweis an.',
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER:
    'Wir konnten die Sozialversicherungsnummer nicht bestätigen. Bitte prüfen Sie die Nummer.',
  INCONSISTENT_INFORMATION:
    'Einige Felder widersprechen einander. Bitte prüfen Sie alle Felder und berichtigen Sie, was falsch ist.',
  INCONSISTENT_DETAILS:
    'Einige Angaben unterscheiden sich zwischen den Dokumenten. Bitte prüfen Sie Angaben und Dokumente.',
  VERIFICATION_ISSUE: 'Wir konnten die Verifizierung nicht abschließen. Bitte wenden Sie sich an den Kundendienst.',
  API_ERROR:
    'Ein technisches Problem bei uns verzögert die Verifizierung. Dauert es lange, wenden Sie sich bitte an den Kundendienst.',
  NAME_VERIFICATION_FAILED:
    'Wir konnten den Namen nicht bestätigen. Bitte geben Sie den vollständigen Namen genau wie im Ausweis an.',
  ID_TYPE_MISMATCH:
    'Der hochgeladene Ausweis ist nicht von der gewählten Art. Bitte wählen Sie die Art des hochgeladenen Ausweises.',
  BIRTH_DATE_MISMATCH: 'Wir konnten das Geburtsdatum nicht bestätigen. Bitte geben Sie es genau wie im Ausweis an.',
  ID_NUMBER_NOT_VERIFIED: 'Wir konnten die Nummer des Ausweises nicht bestätigen. Bitte prüfen Sie die Nummer.',
  MISSING_NAME: 'Der Name ist unvollständig. Bitte geben Sie den vollständigen Namen genau wie im Ausweis an.',
  ID_NOT_ALLOWED:
    'Diesen Ausweis können wir nicht annehmen. Bitte laden Sie einen anderen hoch, zum Beispiel einen Reisepass.',
  SCREEN_DETECTED:
    'Bitte fotografieren Sie das Dokument selbst, keinen Bildschirm, und laden Sie keine Bildschirmaufnahme hoch.',
  DATABASE_LOOKUP_ISSUE:
    'Wir konnten benötigte Auskünfte nicht einholen. Dauert die Verifizierung lange, wenden Sie sich bitte an den Kundendienst.',
  THIRD_PARTY_API_FAILED:
    'Ein Dienst, auf den wir angewiesen sind, hat nicht geantwortet. Dauert die Verifizierung lange, wenden Sie sich bitte an den Kundendienst.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Wir brauchen weitere Angaben. Bitte füllen Sie die noch leeren Felder aus.',
  ID_WARNING: 'Wir prüfen den Ausweis. Bei Fragen wenden Sie sich bitte an den Kundendienst.',
  ADDITIONAL_WARNING: 'Wir prüfen Ihre Angaben. Bei Fragen wenden Sie sich bitte an den Kundendienst.',
  WORKFLOW_CONFIG_ERROR:
    'Diese Verifizierung ist bei uns nicht richtig eingerichtet. Bitte wenden Sie sich an den Kundendienst.',
}

export const issuesAbout: Texts['issuesAbout'] = {
  DOCUMENT_MISSING_BACK: upload,
  DOCUMENT_MISSING_FRONT: upload,
  MISSING_ID_DETAILS: enter,
  MISSING_DOCUMENT_NUMBER: enter,
  MISSING_ISSUE_DATE: enter,
  MISSING_EXPIRY_DATE: enter,
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Bitte prüfen Sie „{field}“: Ein Postfach allein genügt nicht. Geben Sie an, wo Sie wohnen oder arbeiten, oder laden Sie einen aktuellen Adressnachweis hoch.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'Wir konnten „{field}“ nicht bestätigen. Bitte prüfen Sie, ob die Angabe zu Ort und Bundesstaat gehört.',
  INVALID_PARAMETERS: 'Bitte prüfen Sie „{field}“: Die Angabe ist ungültig.',
  INCONSISTENT_INFORMATION: 'Bitte prüfen Sie „{field}“: Einige Angaben widersprechen einander.',
  INCONSISTENT_DETAILS: 'Bitte prüfen Sie „{field}“: Die Angabe passt nicht zu den anderen Daten.',
  BIRTH_DATE_MISMATCH: 'Wir konnten „{field}“ nicht bestätigen. Bitte geben Sie es genau wie im Ausweis an.',
  ID_NUMBER_NOT_VERIFIED: 'Wir konnten „{field}“ nicht bestätigen. Bitte prüfen Sie die Angabe.',
  MISSING_NAME: 'Bitte geben Sie „{field}“ genau wie im Ausweis an.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Bitte machen Sie die Angabe „{field}“.',
}

export const exactIssues: Texts['exactIssues'] = {
  'API_DATA_REQUIREMENTS_NOT_MET associatedPersons':
    'Bitte fügen Sie die Personen hinzu, denen das Unternehmen gehört oder die es kontrollieren, mit ihren Anteilen.',
  'API_DATA_REQUIREMENTS_NOT_MET businessDocuments': 'Bitte fügen Sie ein Dokument des Unternehmens hinzu.',
  'INCONSISTENT_INFORMATION associatedPersons':
    'Bitte prüfen Sie die Anteile der Eigentümer: zusammen höchstens 100 %, alle in Prozent oder alle als Bruchteile von eins.',
  'INVALID_PARAMETERS phoneNumber':
    'Bitte prüfen Sie „{field}“: Soweit wir wissen, gibt es in dem Land keine solche Nummer. Ist sie richtig, lassen Sie sie so.',
  'ID_DATA_MISMATCH legalFirstName': otherName,
  'ID_DATA_MISMATCH legalLastName': otherName,
  'ID_DATA_MISMATCH legalBusinessName': otherName,
}
