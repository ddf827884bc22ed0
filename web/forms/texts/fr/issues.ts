import type { Texts } from '../en.ts'

const otherName =
  'Veuillez vérifier « {field} » : il diffère du nom qui nous a été communiqué. Corrigez-le s’il est inexact.'
const enter = 'Veuillez saisir « {field} ».'
const upload = 'Veuillez également envoyer « {field} ».'

export const issues: Texts['issues'] = {
  DOCUMENT_MISSING_BACK: 'Veuillez également envoyer une image du verso de la pièce d’identité.',
  DOCUMENT_MISSING_FRONT: 'Veuillez également envoyer une image du recto de la pièce d’identité.',
  DOCUMENT_NUMBER_UNREADABLE:
    'Nous n’avons pas pu lire le numéro du document. Veuillez envoyer une image plus nette et sans reflet.',
  DOC_QUALITY_POOR:
    'L’image du document n’est pas assez claire. Veuillez envoyer une image nette en couleur avec les quatre coins.',
  NAME_UNREADABLE:
    'Nous n’avons pas pu lire le nom sur le document. Veuillez envoyer une image plus nette et sans reflet.',
  NO_FACE_PORTRAIT:
    'La photo de la pièce d’identité n’est pas visible. Veuillez envoyer une image de la face avec la photo.',
  MISSING_ID_DETAILS: 'Veuillez compléter les données de la pièce d’identité : type, numéro et pays de délivrance.',
  DOCUMENT_EXPIRED: 'Le document a expiré. Veuillez en envoyer un en cours de validité.',
  NO_GOVERNMENT_ID:
    'Veuillez envoyer une pièce d’identité officielle avec photo, comme un passeport ou une carte nationale d’identité.',
  DOCUMENT_NOT_FOUND:
    'Nous n’avons trouvé aucun document dans le fichier. Veuillez envoyer une image du document entier.',
  UNREADABLE_DOCUMENT:
    'Nous n’avons pas pu lire le document. Veuillez envoyer une image nette sur laquelle rien n’est masqué.',
  UNRECOGNIZED_DOCUMENT:
    'Nous ne reconnaissons pas ce type de document. Veuillez envoyer un passeport ou une carte nationale d’identité.',
  MISSING_DOCUMENT_NUMBER: 'Veuillez saisir le numéro du document.',
  MISSING_ISSUE_DATE: 'Veuillez saisir la date de délivrance du document.',
  MISSING_EXPIRY_DATE: 'Veuillez saisir la date d’expiration du document.',
  DOCUMENT_FRONT_OR_BACK_MISSING: 'Une face du document manque. Veuillez envoyer des images du recto et du verso.',
  DOCUMENT_BACK_MISSING: 'Le verso du document manque. Veuillez en envoyer une image.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Un document supplémentaire est nécessaire. Veuillez vérifier l’adresse et envoyer un justificatif récent.',
  DATABASE_CHECK_FAILED_ON_STREET_NAME: 'Nous n’avons pas pu confirmer la rue. Veuillez vérifier la rue et le numéro.',
  DATABASE_CHECK_FAILED_ON_CITY:
    'Nous n’avons pas pu confirmer la ville. Veuillez vérifier son nom et son orthographe.',
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:
    'Nous n’avons pas pu confirmer l’État, la région ou la province. Veuillez vérifier la correspondance avec l’adresse.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'Nous n’avons pas pu confirmer le code postal. Veuillez vérifier qu’il correspond à l’adresse.',
  ADDRESS_TOO_SHORT: 'L’adresse est incomplète. Veuillez saisir la rue avec le numéro, la ville et le code postal.',
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:
    'Le justificatif de domicile est trop ancien. Veuillez en envoyer un de moins de 3 mois.',
  ADDRESS_DOCUMENT_MISSING_NAME:
    'Le justificatif de domicile ne comporte aucun nom. Veuillez en envoyer un avec le nom complet.',
  ADDRESS_DOCUMENT_MISSING_ADDRESS:
    'Le justificatif de domicile ne comporte aucune adresse. Veuillez en envoyer un avec l’adresse complète.',
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:
    'Ce document ne peut pas servir de justificatif de domicile. Veuillez envoyer une facture d’énergie ou de télécommunications, un relevé bancaire ou un courrier d’une administration.',
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED:
    'Le nom sur le justificatif de domicile diffère du nom saisi. Veuillez corriger celui qui est inexact.',
  ID_DATA_MISMATCH:
    'Certaines données saisies diffèrent de la pièce d’identité. Veuillez les saisir exactement comme sur celle-ci.',
  INVALID_PARAMETERS:
    'Des informations manquent ou ne sont pas valides. Veuillez vérifier chaque champ et corriger ce qui est inexact.',
  INCORRECT_ID_TYPE:
    'Le type choisi ne correspond pas à la pièce. Veuillez choisir le bon type ou envoyer une autre pièce.',
  ID_COUNTRY_MISMATCH: 'Le pays saisi n’est pas celui qui a délivré la pièce. Veuillez vérifier le pays.',
  GOVERNMENT_ID_VERIFICATION_FAILED:
    'Nous n’avons pas pu vérifier la pièce d’identité. Veuillez en envoyer des images claires, ou une autre pièce.',
  DATABASE_CHECK_FAILED_ON_NAME_FIRST:
    'Nous n’avons pas pu confirmer le prénom. Veuillez le saisir exactement comme sur la pièce d’identité.',
  DATABASE_CHECK_FAILED_ON_NAME_LAST:
    'Nous n’avons pas pu confirmer le nom. Veuillez le saisir exactement comme sur la pièce d’identité.',
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER:
    'Nous n’avons pas pu confirmer le numéro de sécurité sociale. Veuillez le vérifier.',
  INCONSISTENT_INFORMATION:
    'Certains champs se contredisent. Veuillez vérifier chaque champ et corriger ce qui est inexact.',
  INCONSISTENT_DETAILS: 'Certaines données diffèrent d’un document à l’autre. Veuillez vérifier données et documents.',
  VERIFICATION_ISSUE: 'Nous n’avons pas pu terminer la vérification. Veuillez contacter le service client.',
  API_ERROR:
    'Un problème technique de notre côté retarde la vérification. Si cela dure, veuillez contacter le service client.',
  NAME_VERIFICATION_FAILED:
    'Nous n’avons pas pu confirmer le nom. Veuillez saisir le nom légal complet exactement comme sur la pièce d’identité.',
  ID_TYPE_MISMATCH: 'La pièce envoyée n’est pas du type choisi. Veuillez choisir le type de la pièce envoyée.',
  BIRTH_DATE_MISMATCH:
    'Nous n’avons pas pu confirmer la date de naissance. Veuillez la saisir exactement comme sur la pièce d’identité.',
  ID_NUMBER_NOT_VERIFIED: 'Nous n’avons pas pu confirmer le numéro de la pièce. Veuillez le vérifier.',
  MISSING_NAME: 'Le nom est incomplet. Veuillez saisir le nom légal complet exactement comme sur la pièce d’identité.',
  ID_NOT_ALLOWED: 'Nous ne pouvons pas accepter cette pièce. Veuillez en envoyer une autre, par exemple un passeport.',
  SCREEN_DETECTED: 'Veuillez photographier le document lui-même, et non un écran ni une capture d’écran.',
  DATABASE_LOOKUP_ISSUE:
    'Nous n’avons pas pu consulter des informations nécessaires. Si la vérification dure, veuillez contacter le service client.',
  THIRD_PARTY_API_FAILED:
    'Un service dont nous dépendons n’a pas répondu. Si la vérification dure, veuillez contacter le service client.',
  API_DATA_REQUIREMENTS_NOT_MET: 'D’autres informations sont nécessaires. Veuillez remplir les champs encore vides.',
  ID_WARNING: 'Nous examinons la pièce d’identité. Pour toute question, veuillez contacter le service client.',
  ADDITIONAL_WARNING: 'Nous examinons votre demande. Pour toute question, veuillez contacter le service client.',
  WORKFLOW_CONFIG_ERROR:
    'Cette vérification n’est pas correctement configurée de notre côté. Veuillez contacter le service client.',
}

export const issuesAbout: Texts['issuesAbout'] = {
  DOCUMENT_MISSING_BACK: upload,
  DOCUMENT_MISSING_FRONT: upload,
  MISSING_ID_DETAILS: enter,
  MISSING_DOCUMENT_NUMBER: enter,
  MISSING_ISSUE_DATE: enter,
  MISSING_EXPIRY_DATE: enter,
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Veuillez vérifier « {field} » : une boîte postale ne suffit pas. Indiquez où vous vivez ou travaillez, ou envoyez un justificatif récent.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'Nous n’avons pas pu confirmer « {field} ». Veuillez vérifier la correspondance avec la ville et l’État.',
  INVALID_PARAMETERS: 'Veuillez vérifier « {field} » : la valeur n’est pas valide.',
  INCONSISTENT_INFORMATION: 'Veuillez vérifier « {field} » : des informations se contredisent.',
  INCONSISTENT_DETAILS: 'Veuillez vérifier « {field} » : cela ne concorde pas avec les autres dates.',
  BIRTH_DATE_MISMATCH:
    'Nous n’avons pas pu confirmer « {field} ». Veuillez saisir exactement ce qui figure sur la pièce d’identité.',
  ID_NUMBER_NOT_VERIFIED: 'Nous n’avons pas pu confirmer « {field} ». Veuillez vérifier.',
  MISSING_NAME: 'Veuillez saisir « {field} » exactement comme sur la pièce d’identité.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Veuillez fournir « {field} ».',
}

export const exactIssues: Texts['exactIssues'] = {
  'API_DATA_REQUIREMENTS_NOT_MET associatedPersons':
    'Veuillez ajouter les personnes qui détiennent ou contrôlent l’entreprise, avec leurs parts.',
  'API_DATA_REQUIREMENTS_NOT_MET businessDocuments': 'Veuillez ajouter un document de l’entreprise.',
  'INCONSISTENT_INFORMATION associatedPersons':
    'Veuillez vérifier les parts des propriétaires : 100 % au plus au total, toutes en pourcentage ou toutes en fractions de un.',
  'INVALID_PARAMETERS phoneNumber':
    'Veuillez vérifier « {field} » : à notre connaissance, ce pays n’a pas de tel numéro. S’il est exact, laissez-le tel quel.',
  'ID_DATA_MISMATCH legalFirstName': otherName,
  'ID_DATA_MISMATCH legalLastName': otherName,
  'ID_DATA_MISMATCH legalBusinessName': otherName,
}
