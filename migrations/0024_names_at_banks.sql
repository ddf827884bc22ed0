-- Money that comes in and money that came back.

-- A bank's name of an entry is unique within one account there, and no further: the book is whose names these are. Nothing
-- where a name is unique by itself, as on a chain; in the sandbox the organization, so that tenants choose names freely.
alter table svc.sightings add book text not null default '';
alter table svc.sightings drop constraint sightings_pkey;
alter table svc.sightings add primary key (method, book, external_id);
alter table svc.deposits add book text not null default '';
alter table svc.deposits drop constraint deposits_once;
alter table svc.deposits add constraint deposits_once unique (organization_id, method, book, external_id);
